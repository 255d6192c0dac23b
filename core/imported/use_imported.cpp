#include "core/imported/use_imported.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/json.h"
#include "core/base/names.h"
#include "core/policy/utility.h"

namespace kvantage::inline imported {
namespace {

bool is_uncompressed(const ImportedPoint& point) {
  return point.method == "none" && same_fraction(point.removed_fraction, 0);
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// The forms of all data sets, each once.
Expected<std::vector<PresetCandidate>> candidates_of(const SimulatorPreset& preset, const ImportedProfile& profile) {
  std::map<std::pair<std::string, double>, PresetCandidate> forms;
  std::set<std::string> unknown_bytes;
  for (const ImportedPoint& point : profile.points) {
    if (is_uncompressed(point)) continue;
    PresetCandidate form{point.method, point.removed_fraction, 1 - point.removed_fraction, {}};
    const auto known = std::ranges::find_if(preset.candidates, [&](const PresetCandidate& one) {
      return one.method == form.method && same_fraction(one.removed_fraction, form.removed_fraction);
    });
    if (known != preset.candidates.end()) form = *known;
    if (point.kept_bytes) form.kept_bytes = *point.kept_bytes;
    if (known == preset.candidates.end() && !point.kept_bytes && same_fraction(point.removed_fraction, 0))
      unknown_bytes.insert(point.method);
    const std::pair key(point.method, point.removed_fraction);
    if (point.kept_bytes)
      forms.insert_or_assign(key, std::move(form));
    else
      forms.emplace(key, std::move(form));
  }
  if (!unknown_bytes.empty())
    return fail(ErrorCode::rejected_input,
                profile.source.file + ": " + joined(unknown_bytes) +
                    " removes no tokens, so its bytes are not known; add a column kept_bytes, the share of bytes kept");
  std::vector<PresetCandidate> list;
  list.reserve(forms.size());
  for (auto& [key, form] : forms) list.push_back(std::move(form));
  return list;
}

}  // namespace

Status use_profile(SimulatorPreset& preset, const ImportedProfile& profile) {
  KV_ASSIGN(auto candidates, candidates_of(preset, profile));
  std::map<std::string, PresetQuality> sets;
  std::set<std::string> whole;
  for (const ImportedPoint& point : profile.points) {
    PresetQuality& quality = sets[point.dataset];
    if (quality.candidates.empty()) {
      quality.dataset = point.dataset;
      quality.measure = source_text(profile.source);
      quality.candidates.resize(candidates.size());
    }
    if (is_uncompressed(point)) {
      quality.uncompressed = point.quality;
      whole.insert(point.dataset);
      continue;
    }
    const auto at = std::ranges::find_if(candidates, [&](const PresetCandidate& one) {
      return one.method == point.method && one.removed_fraction == point.removed_fraction;
    });
    quality.candidates[static_cast<std::size_t>(at - candidates.begin())] = point.quality;
  }
  std::set<std::string> without;
  for (const auto& [dataset, quality] : sets)
    if (!whole.contains(dataset)) without.insert(dataset);
  if (!without.empty())
    return fail(ErrorCode::rejected_input, profile.source.file + ": has no uncompressed quality of " + joined(without) +
                                               "; add a row with method none and 0 removed for each");
  preset.candidates = std::move(candidates);
  preset.quality.clear();
  for (auto& [dataset, quality] : sets) preset.quality.push_back(std::move(quality));
  preset.source += "; quality " + source_text(profile.source) +
                   (profile.model.empty() ? std::string() : ", of " + printable(profile.model));
  return {};
}

Status use_times(SimulatorPreset& preset, const TtftTable& table) {
  if (table.compute) {
    preset.prefill = table.compute->curve;
    preset.fitted = FittedTokens{table.compute->min_tokens, table.compute->max_tokens};
  }
  for (const TtftFit& fit : table.tiers) {
    KV_TRY(check_name(fit.tier, table.source.file));
    const LoadLine line{fit.curve.base_seconds, fit.curve.seconds_per_token};
    const auto known = std::ranges::find(preset.tiers, fit.tier, &PresetTier::name);
    if (known != preset.tiers.end())
      known->line = line;
    else
      preset.tiers.push_back({fit.tier, "imported", line});
    for (PresetCandidate& form : preset.candidates)  // its own line was of the published tier
      std::erase_if(form.tiers, [&](const PresetTier& own) { return own.name == fit.tier; });
  }
  preset.source += "; times " + source_text(table.source);
  return {};
}

}  // namespace kvantage::inline imported
