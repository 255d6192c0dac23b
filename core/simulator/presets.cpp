#include "core/simulator/presets.h"

#include <algorithm>
#include <cmath>

#include "core/base/did_you_mean.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/names.h"

namespace kvantage::inline simulator {
namespace {

namespace fs = std::filesystem;

/// Fields of one object; the first error is kept.
class Fields {
 public:
  Fields(const Json& json, std::string where, std::initializer_list<std::string_view> known)
      : json_(json), where_(std::move(where)), status_(refuse_unknown_fields(json, known, where_)) {}
  void read(const char* key, std::string& value) { take(key, value); }
  void read(const char* key, double& value, double least, double most) {
    if (!take(key, value) || (value >= least && value <= most)) return;
    status_ = fail(ErrorCode::rejected_input, where_ + ": field '" + key + "' is out of range; correct its value");
  }
  /// Calls `each` with every object of a list.
  template <class Each>
  void list(const char* key, Each each) {
    if (!status_) return;
    if (!json_.is_object() || !json_.contains(key)) return;
    const Json& items = json_.at(key);
    if (!items.is_array()) {
      status_ = fail(ErrorCode::rejected_input, where_ + ": field '" + key + "' is not a list; give one");
      return;
    }
    for (std::size_t i = 0; i < items.size() && status_; ++i)
      status_ = each(items[i], where_ + ": " + key + "[" + std::to_string(i) + "]");
  }
  const Status& status() const { return status_; }

 private:
  template <class T>
  bool take(const char* key, T& value) {
    if (!status_) return false;
    auto read = json_field<T>(json_, key, where_);
    if (read) {
      value = std::move(*read);
    } else {
      status_ = tl::unexpected(read.error());
    }
    return status_.has_value();
  }
  const Json& json_;
  std::string where_;
  Status status_;
};

constexpr double max_seconds = 1e6;

Status read_tier(const Json& json, const std::string& where, PresetTier& tier) {
  Fields fields(json, where, {"name", "idea", "base_seconds", "seconds_per_token"});
  fields.read("name", tier.name);
  if (json.contains("idea")) fields.read("idea", tier.idea);
  fields.read("base_seconds", tier.line.base_seconds, -max_seconds, max_seconds);
  fields.read("seconds_per_token", tier.line.seconds_per_token, 0, max_seconds);
  KV_TRY(fields.status());
  return check_name(tier.name, where);
}

Status read_tiers(Fields& fields, std::vector<PresetTier>& tiers) {
  fields.list("tiers",
              [&](const Json& item, const std::string& where) { return read_tier(item, where, tiers.emplace_back()); });
  return fields.status();
}

Status read_candidate(const Json& json, const std::string& where, PresetCandidate& candidate) {
  Fields fields(json, where, {"method", "removed_fraction", "kept_bytes", "tiers"});
  fields.read("method", candidate.method);
  fields.read("removed_fraction", candidate.removed_fraction, 0, 1);
  fields.read("kept_bytes", candidate.kept_bytes, 0, 1);
  return read_tiers(fields, candidate.tiers);
}

Status read_quality(const Json& json, const std::string& where, std::size_t candidates, PresetQuality& quality) {
  Fields fields(json, where, {"dataset", "measure", "uncompressed", "candidates"});
  fields.read("dataset", quality.dataset);
  fields.read("measure", quality.measure);
  fields.read("uncompressed", quality.uncompressed, 0, 1);
  fields.list("candidates", [&](const Json& item, const std::string& at) -> Status {
    if (!item.is_null() && !(item.is_number() && item.get<double>() >= 0 && item.get<double>() <= 1))
      return fail(ErrorCode::rejected_input, at + " is neither null nor a number from 0 to 1; correct it");
    quality.candidates.push_back(item.is_null() ? std::nullopt : std::optional(item.get<double>()));
    return {};
  });
  KV_TRY(fields.status());
  if (quality.candidates.size() != candidates)
    return fail(
        ErrorCode::rejected_input,
        where + ": field 'candidates' does not have one value for each candidate; give null where there is none");
  return {};
}

Status read_prefill(const Json& json, const std::string& where, SimulatorPreset& preset) {
  if (json.is_null()) return {};
  PrefillModel model;
  Fields fields(json, where, {"base_seconds", "seconds_per_token", "seconds_per_token_squared"});
  fields.read("base_seconds", model.base_seconds, -max_seconds, max_seconds);
  fields.read("seconds_per_token", model.seconds_per_token, 0, max_seconds);
  fields.read("seconds_per_token_squared", model.seconds_per_token_squared, 0, max_seconds);
  KV_TRY(fields.status());
  preset.prefill = model;
  return {};
}

}  // namespace

const PresetTier* SimulatorPreset::tier(std::string_view wanted) const {
  for (const PresetTier& one : tiers)
    if (one.name == wanted) return &one;
  return nullptr;
}

Expected<const PresetQuality*> SimulatorPreset::quality_of(std::string_view dataset) const {
  for (const PresetQuality& one : quality)
    if (dataset.empty() || one.dataset == dataset) return &one;
  if (quality.empty())
    return fail(ErrorCode::usage,
                "preset " + name + " has no quality data on compressed caches; choose a preset that has");
  return fail(ErrorCode::usage, "preset " + name + " has no quality for '" + printable(dataset) + "'; " +
                                    did_you_mean(dataset, quality, {}, &PresetQuality::dataset));
}

bool SimulatorPreset::is_beyond_fit(double input_tokens) const {
  if (!prefill) return false;
  if (fitted && (input_tokens < fitted->least || input_tokens > fitted->most)) return true;
  return counts_as_zero(input_tokens);
}

bool SimulatorPreset::counts_as_zero(double input_tokens) const {
  return prefill && prefill->base_seconds < 0 && prefill->seconds(input_tokens) <= 0;
}

Expected<SimulatorPreset> read_preset(const fs::path& file) {
  KV_ASSIGN(const auto json, read_json_file(file));
  const std::string where = file.filename().string();
  SimulatorPreset preset;
  std::string format, provenance;
  double version = 0;
  Fields fields(json, where,
                {"format", "version", "name", "model", "provenance", "source", "bytes_per_token", "prefill", "tiers",
                 "candidates", "quality", "fitted_tokens"});
  fields.read("format", format);
  fields.read("version", version, 1, 1);
  fields.read("name", preset.name);
  fields.read("model", preset.model);
  fields.read("provenance", provenance);
  fields.read("source", preset.source);
  fields.read("bytes_per_token", preset.bytes_per_token, 1, 1e9);
  KV_TRY(read_tiers(fields, preset.tiers));
  fields.list("candidates", [&](const Json& item, const std::string& at) {
    return read_candidate(item, at, preset.candidates.emplace_back());
  });
  fields.list("quality", [&](const Json& item, const std::string& at) {
    return read_quality(item, at, preset.candidates.size(), preset.quality.emplace_back());
  });
  KV_TRY(fields.status());
  if (json.contains("fitted_tokens")) {
    const Json& range = json.at("fitted_tokens");
    const bool good = range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number() &&
                      range[0].get<double>() >= 0 && range[1].get<double>() >= range[0].get<double>();
    if (!good)
      return fail(
          ErrorCode::rejected_input,
          where + ": field 'fitted_tokens' is not a range of tokens; give the fewest and the most, [512, 32768]");
    preset.fitted = FittedTokens{range[0].get<double>(), range[1].get<double>()};
  }
  KV_TRY(check_name(preset.name, where));
  if (format != "kvantage-simulator-preset" || provenance != "modelled")
    return fail(
        ErrorCode::rejected_input,
        where +
            ": is not a preset of the simulator; give one of format kvantage-simulator-preset, provenance modelled");
  KV_TRY(read_prefill(json.contains("prefill") ? json.at("prefill") : Json(), where + ": prefill", preset));
  return preset;
}

Expected<std::vector<SimulatorPreset>> read_presets(const fs::path& folder) {
  std::vector<SimulatorPreset> presets;
  std::error_code error;
  for (const fs::path& entry : entries_of(folder, error)) {
    if (entry.extension() != ".json") continue;
    KV_ASSIGN(auto preset, read_preset(entry));
    presets.push_back(std::move(preset));
  }
  if (presets.empty())
    return fail(ErrorCode::rejected_input,
                folder.string() + ": holds no presets; set KVANTAGE_HOME to the program's folder");
  std::ranges::sort(presets, {}, &SimulatorPreset::name);
  return presets;
}

Expected<SimulatorPreset> find_preset(const std::vector<SimulatorPreset>& presets, std::string_view name) {
  const auto found = std::ranges::find(presets, name, &SimulatorPreset::name);
  if (found != presets.end()) return *found;
  return fail(ErrorCode::usage, "--preset: unknown preset '" + printable(name) + "'; " +
                                    did_you_mean(name, presets, {}, &SimulatorPreset::name));
}

}  // namespace kvantage::inline simulator
