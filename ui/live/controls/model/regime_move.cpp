#include "ui/live/controls/model/regime_move.h"

#include <algorithm>
#include <utility>

#include "core/experiments/regime_tiers.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage {
bool is_timed(const Snapshot& snapshot) {
  constexpr double unfitted = 1;  // bytes per second, as TierModel has it before its first fit
  return facts_of(snapshot).prefill_seconds > 0 && std::ranges::all_of(snapshot.tiers, [](const TierState& tier) {
           return tier.model.bytes_per_second > unfitted;
         });
}

Expected<SessionSettings> settings_in(const RegimeChoice& choice, const Snapshot& snapshot, SessionSettings settings) {
  const Regime& regime = *choice.regime;
  KV_ASSIGN(const RegimeSession numbers, session_in(regime, facts_of(snapshot)));
  settings.tiers = tiers_in(regime, choice.first_percent, snapshot, std::move(settings.tiers));
  settings.alpha = numbers.alphas[choice.alpha];
  settings.policy = regime.policy;
  settings.methods.assign(regime.methods.begin(), regime.methods.end());
  settings.removed_fractions = regime.removed_fractions;
  settings.requests_per_second = numbers.requests_per_second;
  settings.compute_or_load = "off";  // as the figures' runs: the papers' systems load whatever is stored
  settings.reprofile = false;        // and profile questions alone make the curves
  return settings;
}

}  // namespace kvantage
