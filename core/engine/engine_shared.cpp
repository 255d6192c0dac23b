// Tiers that other processes use too: what they did is seen between two requests. A tier whose server does not answer is
// said once, and timed when it is back.
#include "core/engine/engine_worker.h"

namespace kvantage {

void Engine::Worker::attend_shared_tiers() {
  reachable_.resize(store_->tier_count(), true);
  for (std::size_t t = 0; t < store_->tier_count(); ++t) {
    StorageTier& tier = store_->tier(t);
    const bool reachable = tier.reachable();
    if (reachable != reachable_[t]) {
      reachable_[t] = reachable;
      const TierDescription description = tier.describe();
      events_.publish(events::Message{reachable ? "info" : "warning", "tier " + description.name + " " +
                                          (reachable ? "is there again" : "is " + description.note + "; requests go on without it")});
      if (reachable && store_->fit(t).samples() == 0)
        if (const Status timed = time_tier(t); !timed) events_.publish(events::Message{"warning", timed.error().message});
    }
    if (store_->take_in(t)) snapshot_changed_ = true;
  }
}

}  // namespace kvantage
