#include "ui/live/frontier/model/frontier_request.h"

#include <algorithm>

namespace kvantage {

bool asks_same_curves(const PlannerRequest& a, const PlannerRequest& b) {
  return a.family == b.family && a.policies == b.policies && same_curve(a.settings, b.settings);
}

bool same_curve(const SessionSettings& a, const SessionSettings& b) {
  return a.policy == b.policy && a.tiers == b.tiers && a.methods == b.methods &&
         a.removed_fractions == b.removed_fractions;
}

Snapshot snapshot_under(const Snapshot& snapshot, const SessionSettings& settings, const SessionSettings& committed) {
  Snapshot changed = snapshot;
  changed.alpha = settings.alpha;
  for (const TierConfig& tier : settings.tiers) {
    const auto state = std::find_if(changed.tiers.begin(), changed.tiers.end(),
                                    [&](const TierState& s) { return s.name == tier.name; });
    if (state == changed.tiers.end()) continue;
    state->budget_bytes = tier.budget.bytes();
    const auto before = std::find_if(committed.tiers.begin(), committed.tiers.end(),
                                     [&](const TierConfig& s) { return s.name == tier.name; });
    const bool speed_moved = before == committed.tiers.end() || before->throttle != tier.throttle;
    if (speed_moved && tier.throttle.bytes_per_second > 0) {
      state->model.bytes_per_second = tier.throttle.bytes_per_second;
      state->model.latency_seconds = tier.throttle.latency_seconds;
      state->throttled = true;
    }
  }
  changed.candidates.methods = settings.methods;
  changed.candidates.fractions = settings.removed_fractions;
  changed.candidates.quality_bound = settings.quality_bound;
  return changed;
}

}  // namespace kvantage
