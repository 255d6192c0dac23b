// Speculation as a setting, one text: whether tokens of an answer are drafted from what stands in its prompt already
// and verified several in a pass. The tokens are those of decoding one by one. "off", "lookup", "lookup(n=2,k=4)",
// "auto".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline ports {

/// automatic: drafts only where that is expected to raise the tokens per second, by measured costs and acceptance.
enum class SpeculationMode : std::uint8_t { off, lookup, automatic };

struct SpeculationSetting {
  static constexpr int longest_match = 3, most_drafts = 8;

  SpeculationMode mode = SpeculationMode::off;
  int match_tokens = longest_match;  // the longest n-gram that is looked up, from 1
  int draft_tokens = most_drafts;    // of a request and a pass, at most, from 1

  bool is_on() const { return mode != SpeculationMode::off; }
  /// Canonical text without what is at its default.
  std::string text() const;
  bool operator==(const SpeculationSetting&) const = default;
};

/// usage error that names what is wrong.
Expected<SpeculationSetting> parse_speculation(std::string_view text);

}  // namespace kvantage::inline ports
