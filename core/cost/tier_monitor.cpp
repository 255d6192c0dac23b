#include "core/cost/tier_monitor.h"

#include "core/ports/fault_plan.h"

namespace kvantage::inline cost {

bool TierMonitor::came_back(std::size_t place, const StorageTier& tier) {
  const bool reachable = tier.reachable();
  if (reachable == reachable_[place]) return false;
  reachable_[place] = reachable;
  services_.catalog.mark_changed();
  const TierDescription description = tier.describe();
  services_.events.publish(events::Message{
      reachable ? "info" : "warning",
      "tier " + description.name + " " +
          (reachable ? "is available again" : "is " + description.note + "; requests continue without it")});
  return reachable;
}

void TierMonitor::say_unsealed(std::size_t place, const StorageTier& tier) {
  if (unsealed_said_[place]) return;
  const std::uint64_t unsealed = tier.statistics().unsealed;
  if (unsealed == 0) return;
  unsealed_said_[place] = true;
  services_.events.publish(events::Message{
      "warning", "tier " + tier.describe().name + " ignores entries on its server whose seal does not " +
                     "fit its seal_key_file (" + std::to_string(unsealed) + " so far)"});
}

void TierMonitor::poll(const std::vector<TierConfig>& tiers) {
  CacheStore& store = services_.store;
  reachable_.resize(store.tiers().count() + 1, true);
  unsealed_said_.resize(reachable_.size(), false);
  bool synced = false;
  for (std::size_t t = 0; t < store.tiers().count(); ++t) {
    const bool back = came_back(t, store.tiers()[t]);
    if (back && store.tiers().fit(t).samples() == 0)
      if (const Status timed = timing_.time_tier(t, tiers[t]); !timed)
        services_.events.publish(events::Message{"warning", timed.error().message});
    synced = store.sync(t) || synced;
    if (t < tiers.size() && kind_of(tiers[t]).is_shared) say_unsealed(t, store.tiers()[t]);
  }
  if (const StorageTier* const archive = store.originals().tier()) {
    (void)came_back(store.tiers().count(), *archive);
    say_unsealed(store.tiers().count(), *archive);
  }
  synced = store.originals().sync() || synced;
  if (!synced) return;
  services_.catalog.mark_changed();
  journal_.publish_snapshot("shared tier");
}

void TierMonitor::inject_faults(std::size_t tier, const TierConfig& setting, bool enabled) {
  if (!inject_) return;
  if (const Status status = inject_(tier, enabled ? setting.faults : std::string()); !status)
    services_.events.publish(events::Message{"error", "tier '" + setting.name + "': " + status.error().message});
  // Injected delays count as throttling.
  services_.catalog.snapshot().tiers[tier].throttled = services_.store.tiers()[tier].describe().throttled;
  services_.catalog.mark_changed();
}

void TierMonitor::inject_timing_faults(const std::vector<TierConfig>& tiers) {
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t) {
    auto faults = parse_faults(tiers[t].faults);
    if (!faults || !faults->plan.any()) continue;  // invalid text: injecting it for requests says so
    faults->plan.delay_on_read = faults->plan.delay_on_write = {};
    TierConfig setting = tiers[t];
    setting.faults = to_string(*faults);
    inject_faults(t, setting);
  }
}

void TierMonitor::inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled) {
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t) inject_faults(t, tiers[t], enabled);
}

}  // namespace kvantage::inline cost
