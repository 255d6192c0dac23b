// Decode-offload as a setting, one text: the tier that holds the KV cache of a request while its answer is decoded, and
// how each step obtains it (KVPR). "ssd", "ssd(split=load_only)" or "none".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline ports {

struct DecodeOffloadSetting {
  std::string tier = {};
  /// solved: l for the least time. load_only: 0. recompute_only: every token of the context.
  SplitMode split = SplitMode::solved;

  /// Canonical text; the default split is left out.
  std::string text() const;
  bool operator==(const DecodeOffloadSetting&) const = default;
};

/// Nothing for "none". usage error that names what is wrong; whether the tier exists is checked by validate().
Expected<std::optional<DecodeOffloadSetting>> parse_decode_offload(std::string_view text);

}  // namespace kvantage::inline ports
