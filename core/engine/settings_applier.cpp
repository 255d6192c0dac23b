#include "core/engine/settings_applier.h"

#include <utility>

#include "core/engine/settings_check.h"

namespace kvantage::inline engine {

void SettingsApplier::report(const Status& status, const std::string& what) {
  if (!status) services_.events.publish(events::Message{"error", what + status.error().message});
}

Status SettingsApplier::load_profiles() {
  scope_ = {.model = profiles_.model, .workload = profiles_.workload, .quality_metric = settings_.quality_metric};
  parts_.use_scope(scope_);  // first: even if the rest fails, no curve of another metric is continued
  if (const QualityMetric* metric = find_quality_metric(settings_.quality_metric)) {
    // Vectors of different embedders are not comparable.
    KV_ASSIGN(const auto embedder, meter_.digest(*metric));
    if (embedder != Digest128{})
      scope_.model =
          DigestBuilder().add(scope_.model.high).add(scope_.model.low).add(embedder.high).add(embedder.low).finish();
  }
  parts_.use_metric(settings_.quality_metric);
  parts_.use_scope(scope_);
  parts_.forget_curves();
  parts_.forget_answers();
  published_.set_scope(scope_);
  if (profiles_.store != nullptr) KV_TRY(parts_.load_references(scope_));
  return parts_.load_curves(scope_, profiles_.store, profiles_.shipped);
}

void SettingsApplier::publish_changes(const SessionSettings& settings) {
  const Json before = to_json(settings_), after = to_json(settings);
  for (const auto& [name, value] : after.items())
    if (!before.contains(name) || before[name] != value)
      services_.events.publish(events::SettingChanged{name, before.contains(name) ? before[name] : Json(), value});
}

void SettingsApplier::apply_tiers(const SessionSettings& old) {
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t) apply_tier(t, old.tiers[t]);
}

void SettingsApplier::apply_tier(std::size_t tier, const TierConfig& old) {
  const TierConfig& now = settings_.tiers[tier];
  services_.catalog.snapshot().tiers[tier].budget_bytes = now.budget.bytes();
  services_.store.tiers().set_capacity(tier, now.budget.capacity_bytes());
  if (now.faults != old.faults) parts_.inject_faults(tier, now, true);
  if (now.throttle == old.throttle || !rethrottle_) return;
  parts_.inject_faults(tier, now, false);  // the tier is timed without its faults
  Status status = rethrottle_(tier, now);
  if (status && services_.catalog.size() > 0) status = parts_.time_tier(tier, now);
  parts_.inject_faults(tier, now, true);
  report(status, "tier '" + now.name + "': ");
}

void SettingsApplier::apply_policy(const SessionSettings& old) {
  if (settings_.policy == old.policy) return;
  const Status used = parts_.use_policy(settings_.policy);
  report(used, "");
  if (!used) settings_.policy = old.policy;
}

void SettingsApplier::apply(const SessionSettings& settings) {
  publish_changes(settings);
  const SessionSettings old = std::exchange(settings_, settings);
  services_.catalog.snapshot().alpha = settings_.alpha;
  services_.catalog.snapshot().candidates.quality_bound = settings_.quality_bound;
  apply_tiers(old);
  parts_.recheck_curves();
  apply_policy(old);
  parts_.hand_on(settings_);
  const bool candidates_changed =
      settings_.methods != old.methods || settings_.removed_fractions != old.removed_fractions ||
      settings_.decode_options != old.decode_options || settings_.profile_grid != old.profile_grid;
  // A method that is new would be planned as if decoding it took no time.
  if ((candidates_changed || settings_.policy != old.policy) && services_.catalog.size() > 0)
    report(parts_.time_codecs(stored_methods(settings_)), "codecs: ");
  const bool metric_changed = settings_.quality_metric != old.quality_metric;
  if (metric_changed) {
    report(load_profiles(), "quality curves: ");
  } else if (candidates_changed) {
    parts_.retry_failed_profiles();
    parts_.use_all_curves();
  }
  if (settings_.requests_per_second != old.requests_per_second) parts_.change_rate(settings_.requests_per_second);
  if (candidates_changed || metric_changed || settings_.compute_or_load != old.compute_or_load)
    parts_.publish_snapshot("settings");
  parts_.publish_costs();
  parts_.dispatch_event({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
  for (std::size_t t = 0; t < services_.store.tiers().count(); ++t)
    services_.store.publish_occupancy(static_cast<int>(t));
}

}  // namespace kvantage::inline engine
