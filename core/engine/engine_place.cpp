#include <algorithm>

#include "core/engine/engine_worker.h"
#include "core/policy/policy.h"
#include "core/workload/arrivals.h"

namespace kvantage {

// A reducer's actions depend on each other and are carried out at once; an optimising policy's newest diff replaces
// what an older plan still wanted.
void Engine::Worker::tell_policy(const PolicyEvent& event) {
  const std::int64_t start = clock_.monotonic_ns();
  const auto [actions, planned] = policy_->advance(catalogue_->policy_state(), event);
  const bool replans = policy_->is_planner() && event.kind != PolicyEvent::Kind::requested;
  if (replans && planned)
    events_.publish(events::PlanMade{settings_.policy, settings_.alpha, planned->mean_quality,
                                     planned->mean_ttft_seconds, planned->utility, actions.size(),
                                     static_cast<double>(clock_.monotonic_ns() - start) * 1e-9});
  if (event.kind != PolicyEvent::Kind::commit_failed) failed_commits_ = 0;
  if (policy_->is_planner()) {
    if (replans || !actions.empty()) pending_.assign(actions.begin(), actions.end());
    return;
  }
  pending_.insert(pending_.end(), actions.begin(), actions.end());
  while (!pending_.empty()) place(1.0);
}

// What was decided since rests on a placement that did not come about.
void Engine::Worker::take_failed_writes() {
  for (const Digest128& context : store_->take_failed_writes()) {
    snapshot_changed_ = true;
    pending_.clear();
    if (++failed_commits_ <= 3) tell_policy({.kind = PolicyEvent::Kind::commit_failed, .context = context});
  }
}

bool Engine::Worker::nobody_waits() const { return running_.empty() && arrival_rate() <= 0; }

// No request waits for the bytes of others on their way to a slow tier: a plan is carried out further when they have
// arrived; what a reducer wants is wanted now or not at all.
bool Engine::Worker::may_place() const {
  if (pending_.empty()) return false;
  return nobody_waits() || !policy_->is_planner() || !store_->is_held_up(pending_.front());
}

void Engine::Worker::place(double seconds) {
  const std::int64_t start = clock_.monotonic_ns();
  const TimedWork placing(clock_, counted_.placing_seconds);
  while (may_place()) {
    const PlacementAction action = std::move(pending_.front());
    pending_.pop_front();
    using Backlog = StoreManager::Backlog;
    const Status status = store_->commit(action, nobody_waits() ? Backlog::wait : Backlog::refuse);
    snapshot_changed_ = true;
    if (!status) {
      pending_.clear();  // they were decided on a state that did not come about
      if (++failed_commits_ <= 3) tell_policy({.kind = PolicyEvent::Kind::commit_failed, .context = action.context});
      return;
    }
    if (engine_.config_.frozen) store_->finish_writes();  // what comes of it is known before the next decision
    if (interrupted() || static_cast<double>(clock_.monotonic_ns() - start) * 1e-9 > seconds) return;
  }
}

void Engine::Worker::take_settings(const SessionSettings& settings) {
  const Json before = to_json(settings_), after = to_json(settings);
  for (const auto& [name, value] : after.items())
    if (!before.contains(name) || before[name] != value)
      events_.publish(events::SettingChanged{name, before.contains(name) ? before[name] : Json(), value});

  Snapshot& snapshot = catalogue_->snapshot();
  const bool candidates_changed =
      settings.methods != settings_.methods || settings.removed_fractions != settings_.removed_fractions;
  const SessionSettings old = std::exchange(settings_, settings);
  snapshot.alpha = settings_.alpha;
  for (std::size_t t = 0; t < store_->tier_count(); ++t) {
    const TierConfig& now = settings_.tiers[t];
    snapshot.tiers[t].budget_bytes = now.budget.bytes();
    store_->tier(t).set_capacity(now.budget.capacity_bytes());
    const bool reshaped = now.throttle != old.tiers[t].throttle;
    if (now.faults != old.tiers[t].faults) inject_faults(t);
    if (!reshaped || !opened_.reshape) continue;
    inject_faults(t, false);  // what is timed is the tier, not its faults
    Status status = opened_.reshape(t, now);
    if (status && catalogue_->size() > 0) status = costs_->time_tier(t, now);
    inject_faults(t);
    if (!status) events_.publish(events::Message{"error", "tier '" + now.name + "': " + status.error().message});
  }
  curves_complete_ = false;
  if (settings_.policy != old.policy) {
    if (auto policy = make_policy(settings_.policy)) {
      policy_ = *policy;
      pending_.clear();
    } else {
      events_.publish(events::Message{"error", policy.error().message});
      settings_.policy = old.policy;
    }
  }
  if (settings_.quality_metric != old.quality_metric) {
    end_profile();
    if (const Status loaded = load_profiles(); !loaded)
      events_.publish(events::Message{"error", "quality curves: " + loaded.error().message});
  } else if (candidates_changed) {
    unprofilable_.clear();
    for (const auto& [context, ignored] : cells_) use_profile(context);
  }
  if (settings_.requests_per_second != old.requests_per_second && next_in_sequence_ < sequence_.size()) {
    // Arrivals restart from now at the new rate.
    const std::size_t from = warming_up_ ? std::max(next_in_sequence_, warmup_in_sequence_) : next_in_sequence_;
    space_requests(std::span(sequence_).subspan(from), settings_.requests_per_second, engine_.config_.seed);
    run_start_ns_ = serving_clock_.monotonic_ns();
  }
  if (candidates_changed || settings_.quality_metric != old.quality_metric) publish_taken("settings");
  publish_costs();
  tell_policy({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
  for (std::size_t t = 0; t < store_->tier_count(); ++t) store_->publish_occupancy(static_cast<int>(t));
  publish_snapshot();
}

}  // namespace kvantage
