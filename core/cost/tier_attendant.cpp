#include "core/cost/tier_attendant.h"

namespace kvantage::inline cost {

bool TierAttendant::came_back(std::size_t place, const StorageTier& tier) {
  const bool reachable = tier.reachable();
  if (reachable == reachable_[place]) return false;
  reachable_[place] = reachable;
  services_.catalogue.mark_changed();
  const TierDescription description = tier.describe();
  services_.events.publish(
      events::Message{reachable ? "info" : "warning",
                      "tier " + description.name + " " +
                          (reachable ? "is there again" : "is " + description.note + "; requests go on without it")});
  return reachable;
}

void TierAttendant::attend(const std::vector<TierConfig>& tiers) {
  CacheStore& store = services_.store;
  reachable_.resize(store.tiers().count() + 1, true);
  bool taken_in = false;
  for (std::size_t t = 0; t < store.tiers().count(); ++t) {
    const bool back = came_back(t, store.tiers()[t]);
    if (back && store.tiers().fit(t).samples() == 0)
      if (const Status timed = costs_.time_tier(t, tiers[t]); !timed)
        services_.events.publish(events::Message{"warning", timed.error().message});
    taken_in = store.take_in(t) || taken_in;
  }
  if (store.originals().tier() != nullptr) (void)came_back(store.tiers().count(), *store.originals().tier());
  taken_in = store.originals().take_in() || taken_in;
  if (!taken_in) return;
  services_.catalogue.mark_changed();
  recorder_.publish_snapshot("shared tier");
}

void TierAttendant::inject_faults(std::size_t tier, const TierConfig& setting, bool strike) {
  if (!inject_) return;
  if (const Status status = inject_(tier, strike ? setting.faults : std::string()); !status)
    services_.events.publish(events::Message{"error", "tier '" + setting.name + "': " + status.error().message});
  // Delays make a tier slower on purpose.
  services_.catalogue.snapshot().tiers[tier].shaped = services_.store.tiers()[tier].describe().shaped;
  services_.catalogue.mark_changed();
}

void TierAttendant::inject_all_faults(const std::vector<TierConfig>& tiers, bool strike) {
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t) inject_faults(t, tiers[t], strike);
}

}  // namespace kvantage::inline cost
