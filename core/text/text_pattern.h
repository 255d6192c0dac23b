// {"String": ...} or {"Regex": ...}: the pattern type of normalizers, pre-tokenizers and decoders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/text/regex.h"

namespace kvantage::inline text {

class TextPattern {
 public:
  /// From the object `json`; rejected_input otherwise.
  static Expected<TextPattern> parse(const Json& json, const std::string& name);
  std::vector<TextRange> find_all(std::string_view text) const;
  /// Every match replaced by `content`, verbatim.
  void replace_all(std::string& text, std::string_view content) const;

 private:
  std::string literal_;
  std::optional<Regex> regex_;
};

}  // namespace kvantage::inline text
