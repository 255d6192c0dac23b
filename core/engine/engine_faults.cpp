// Faults on purpose strike while requests are served, not while tiers are opened, emptied or timed.
#include "core/engine/engine_worker.h"

namespace kvantage {

void Engine::Worker::inject_faults(std::size_t tier, bool strike) {
  if (!opened_.inject) return;
  const TierConfig& setting = settings_.tiers[tier];
  if (const Status status = opened_.inject(tier, strike ? setting.faults : std::string()); !status)
    events_.publish(events::Message{"error", "tier '" + setting.name + "': " + status.error().message});
  // Delays make a tier slower on purpose.
  TierState& state = catalogue_->snapshot().tiers[tier];
  state.shaped = store_->tier(tier).describe().shaped;
  snapshot_changed_ = true;
}

void Engine::Worker::inject_all_faults(bool strike) {
  for (std::size_t t = 0; t < store_->tier_count(); ++t) inject_faults(t, strike);
}

}  // namespace kvantage
