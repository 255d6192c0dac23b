#include "core/simulator/stored_form.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline simulator {
namespace {

const PresetTier* own_line(const PresetCandidate& form, const std::string& tier) {
  const auto at = std::ranges::find(form.tiers, tier, &PresetTier::name);
  return at == form.tiers.end() ? nullptr : &*at;
}

/// The form's difference from the uncompressed line with its bytes, where the preset gives both.
bool beyond(const SimulatorPreset& preset, const std::string& tier, const PresetCandidate& form, LoadLine& more) {
  const PresetTier *own = own_line(form, tier), *whole = preset.tier(tier);
  if (own == nullptr || whole == nullptr) return false;
  more = {own->line.base_seconds - whole->line.base_seconds,
          own->line.seconds_per_token - whole->line.seconds_per_token * form.kept_bytes,
          own->line.restore_seconds_per_token - whole->line.restore_seconds_per_token * form.kept_bytes};
  return true;
}

/// "keydiff (0.1 to 0.75), kivi4 (0)".
std::string measured_forms(const std::map<std::string, std::vector<const PresetCandidate*>>& methods) {
  std::string text;
  for (const auto& [method, forms] : methods) {
    double least = 1, most = 0;
    for (const PresetCandidate* form : forms) {
      least = std::min(least, form->removed_fraction);
      most = std::max(most, form->removed_fraction);
    }
    text += (text.empty() ? "" : ", ") + method + " (" + short_number(least) +
            (most > least ? " to " + short_number(most) : "") + ")";
  }
  return text;
}

}  // namespace

LoadLine line_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, std::size_t tier,
                 const PresetCandidate& form) {
  LoadLine line{tiers[tier].line.base_seconds, tiers[tier].line.seconds_per_token * form.kept_bytes,
                tiers[tier].line.restore_seconds_per_token * form.kept_bytes};
  LoadLine more;
  if (beyond(preset, tiers[tier].name, form, more)) {
    line.base_seconds += more.base_seconds;
    line.seconds_per_token = std::max(0.0, line.seconds_per_token + more.seconds_per_token);
    line.restore_seconds_per_token = std::max(0.0, line.restore_seconds_per_token + more.restore_seconds_per_token);
    return line;
  }
  // For a tier without published values, decoding costs as much as on the fastest published one; never a gain.
  for (const PlannedTier& other : tiers)
    if (beyond(preset, other.name, form, more)) {
      line.seconds_per_token += std::max(0.0, more.seconds_per_token);
      break;
    }
  return line;
}

CostModel costs_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, const PresetCandidate& form) {
  CostModel costs;
  costs.timed = preset.prefill.has_value();
  costs.bytes_per_token = preset.bytes_per_token * form.kept_bytes;
  costs.prefill = preset.prefill.value_or(PrefillModel{});
  costs.question = preset.question;
  costs.kept_tokens = 1 - form.removed_fraction;
  for (std::size_t t = 0; t < tiers.size(); ++t) costs.tiers.push_back(line_of(preset, tiers, t, form));
  return costs;
}

Expected<StoredForm> stored_form(const SimulatorPreset& preset, const std::string& dataset, const std::string& method,
                                 double removed_fraction) {
  StoredForm form{method, removed_fraction, 1, 1, 1, false};
  const bool whole = method == "none" && same_fraction(removed_fraction, 0);
  if (preset.quality.empty() && whole && dataset.empty()) return form;
  KV_ASSIGN(const auto* quality, preset.quality_of(dataset));
  form.uncompressed_quality = form.quality = quality->uncompressed;
  if (whole) return form;
  std::map<std::string, std::vector<const PresetCandidate*>> methods;
  struct Neighbor {
    double fraction = 0, bytes = 1, quality = 1;
    bool found = false;
  };
  // A method's curve starts at the whole cache, except where a form without removed tokens exists.
  Neighbor below{0, 1, form.uncompressed_quality, true}, above;
  for (std::size_t i = 0; i < preset.candidates.size(); ++i) {
    const PresetCandidate& one = preset.candidates[i];
    const std::optional<double>& value = quality->candidates[i];
    if (!value) continue;
    methods[one.method].push_back(&one);
    if (one.method != method) continue;
    if (same_fraction(one.removed_fraction, removed_fraction)) {
      form.kept_bytes = one.kept_bytes;
      form.quality = *value;
      return form;
    }
    const Neighbor here{one.removed_fraction, one.kept_bytes, *value, true};
    if (here.fraction < removed_fraction && here.fraction >= below.fraction) below = here;
    if (here.fraction > removed_fraction && (!above.found || here.fraction < above.fraction)) above = here;
  }
  if (!above.found) {
    const std::string there = measured_forms(methods);
    return fail(ErrorCode::usage, "preset " + preset.name + " has no quality of " + method + " at removed fraction " +
                                      short_number(removed_fraction) +
                                      (there.empty() ? std::string("; choose a preset that has, or none")
                                                     : "; choose one of " + there + ", or none"));
  }
  const double share = (removed_fraction - below.fraction) / (above.fraction - below.fraction);
  form.kept_bytes = below.bytes + share * (above.bytes - below.bytes);
  form.quality = below.quality + share * (above.quality - below.quality);
  form.between = true;
  return form;
}

double loss_factor(double spread, std::uint64_t seed, std::uint64_t context) {
  if (!(spread > 0)) return 1;
  Random random(derive_seed(seed, context));
  return std::exp(spread * random.normal() - spread * spread / 2);
}

double spread_quality(double uncompressed, double quality, double factor) {
  return std::clamp(uncompressed - (uncompressed - quality) * factor, 0.0, 1.0);
}

}  // namespace kvantage::inline simulator
