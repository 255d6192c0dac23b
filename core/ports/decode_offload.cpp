#include "core/ports/decode_offload.h"

#include <algorithm>
#include <array>

#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"

namespace kvantage::inline ports {
namespace {

constexpr std::array splits{SplitMode::solved, SplitMode::load_only, SplitMode::recompute_only};

tl::unexpected<Error> refuse_offload(std::string_view text, const std::string& reason) {
  return fail(ErrorCode::usage, "decode offload '" + std::string(text) + "': " + reason);
}

Expected<SplitMode> split_of(std::string_view text, std::string_view value) {
  std::array<std::string_view, splits.size()> names;
  std::ranges::transform(splits, names.begin(), [](SplitMode mode) { return std::string_view(to_string(mode)); });
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    return refuse_offload(text, "unknown split '" + std::string(value) + "'; " + did_you_mean(value, names));
  return splits[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

std::string DecodeOffloadSetting::text() const {
  return split == SplitMode::solved ? tier : tier + "(split=" + to_string(split) + ")";
}

Expected<std::optional<DecodeOffloadSetting>> parse_decode_offload(std::string_view text) {
  const std::string_view given = trimmed(text);
  const auto form = FormText::read(given, "decode offload");
  const std::string_view tier = form ? trimmed(form->name()) : std::string_view();
  if (!form || tier.empty())
    return refuse_offload(given, "is not TIER or TIER(split=MODE); write one such as ssd(split=load_only), or none");
  DecodeOffloadSetting read{.tier = std::string(tier)};
  const auto& arguments = form->arguments();
  const bool none = arguments.empty() || (arguments.size() == 1 && arguments.front().key.empty() &&
                                          trimmed(arguments.front().value).empty());
  if (tier == "none" && arguments.empty()) return std::nullopt;
  if (none) return read;
  if (!form->repeated_key().empty()) return refuse_offload(given, "'split' is given twice; keep one");
  for (const FormText::Argument& argument : arguments) {
    if (trimmed(argument.key) != "split")
      return refuse_offload(given, "its only parameter is split; write one such as ssd(split=load_only)");
    KV_ASSIGN(read.split, split_of(given, trimmed(argument.value)));
  }
  return read;
}

}  // namespace kvantage::inline ports
