#include "core/ports/decode_offload.h"

#include <algorithm>
#include <array>

#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"
#include "core/base/json.h"

namespace kvantage::inline ports {
namespace {

constexpr std::array splits{SplitMode::solved, SplitMode::load_only, SplitMode::recompute_only};

tl::unexpected<Error> refuse_offload(std::string_view text, const std::string& reason) {
  return fail(ErrorCode::usage, "decode offload '" + std::string(text) + "': " + reason);
}

/// The one of `all` whose to_string() is `value`.
template <class Choice, std::size_t count>
Expected<Choice> choice_of(std::string_view text, std::string_view what, std::string_view value,
                           const std::array<Choice, count>& all) {
  std::array<std::string_view, count> names;
  std::ranges::transform(all, names.begin(), [](Choice choice) { return std::string_view(to_string(choice)); });
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    return refuse_offload(
        text, "unknown " + std::string(what) + " '" + printable(value) + "'; " + did_you_mean(value, names));
  return all[static_cast<std::size_t>(found - names.begin())];
}

Status take_parameter(std::string_view text, std::string_view key, std::string_view value,
                      DecodeOffloadSetting& setting) {
  if (key == "split") {
    KV_ASSIGN(setting.split, choice_of(text, key, value, splits));
  } else if (key == "resident") {
    KV_ASSIGN(setting.resident, choice_of(text, key, value, resident_fronts));
  } else if (key == "codec") {
    if (value.empty()) return refuse_offload(text, "names no codec; write one such as codec=fp8, or none");
    setting.codec = value == "none" ? std::string() : std::string(value);
  } else if (key == "weights") {
    KV_ASSIGN(setting.weights, choice_of(text, key, value, weight_loadings));
  } else if (key == "batch") {
    KV_ASSIGN(setting.batch, choice_of(text, key, value, offload_batches));
  } else {
    if (key.empty())
      return refuse_offload(
          text, "its parameters are split, resident, codec, weights and batch; write one like ssd(split=load_only)");
    constexpr std::array<std::string_view, 5> known{"split", "resident", "codec", "weights", "batch"};
    return refuse_offload(text, "unknown parameter '" + printable(key) + "'; " + did_you_mean(key, known));
  }
  return {};
}

// Layer inputs have 2 bytes per number, as keys and values have without a codec.
Status check_choices(std::string_view text, const DecodeOffloadSetting& setting) {
  if (setting.resident != ResidentFront::nothing && setting.split == SplitMode::load_only)
    return refuse_offload(text, "split=load_only recomputes nothing, so nothing is resident; leave one of them out");
  if (!setting.codec.empty() && setting.reads_inputs())
    return refuse_offload(text,
                          "keys and values in a codec are no longer than layer inputs, so reading inputs cannot "
                          "pay off; add split=load_only or resident=inputs");
  return {};
}

}  // namespace

const char* to_string(ResidentFront front) {
  static constexpr const char* names[] = {"none", "inputs", "kv"};
  return names[static_cast<std::size_t>(front)];
}

const char* to_string(WeightLoading loading) {
  switch (loading) {
    case WeightLoading::resident:
      return "resident";
    case WeightLoading::whole:
      return "all_first";
    case WeightLoading::keys_values_first:
      return "kv_first";
  }
  return "";
}

const char* to_string(OffloadBatch batch) { return batch == OffloadBatch::column ? "column" : "separate"; }

std::string DecodeOffloadSetting::text() const {
  std::string parameters;
  const auto add = [&](const char* key, const std::string& value) {
    parameters += (parameters.empty() ? "" : ",") + std::string(key) + "=" + value;
  };
  if (split != SplitMode::solved) add("split", to_string(split));
  if (resident != ResidentFront::nothing) add("resident", to_string(resident));
  if (!codec.empty()) add("codec", codec);
  if (weights != WeightLoading::resident) add("weights", to_string(weights));
  if (batch != OffloadBatch::separate) add("batch", to_string(batch));
  return parameters.empty() ? tier : tier + "(" + parameters + ")";
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
  if (!form->repeated_key().empty())
    return refuse_offload(given, "'" + printable(form->repeated_key()) + "' is given twice; keep one");
  for (const FormText::Argument& argument : arguments)
    KV_TRY(take_parameter(given, trimmed(argument.key), trimmed(argument.value), read));
  KV_TRY(check_choices(given, read));
  return read;
}

}  // namespace kvantage::inline ports
