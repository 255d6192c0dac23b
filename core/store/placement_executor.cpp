#include "core/store/placement_executor.h"

#include <optional>

#include "core/policy/milp/search_bounds.h"
#include "core/runtime/serving_clock.h"

namespace kvantage::inline store {

Status PlacementExecutor::use_policy(const std::string& name) {
  KV_ASSIGN(policy_, make_policy(name));
  policy_name_ = name;
  pending_.clear();
  return {};
}

// On the engine's thread: requests wait while a policy searches. Seconds may not decide in a frozen run, whose searches
// have their own limits alone.
PolicyStep PlacementExecutor::decide(const PolicyEvent& event) {
  const SearchCancel stopped(services_.interrupted);
  std::optional<SearchBounds> bounds;
  if (!frozen_) bounds.emplace(session_search_limits);
  return policy_->advance(services_.catalog.policy_state(), event);
}

void PlacementExecutor::dispatch_event(const PolicyEvent& event) {
  const std::int64_t start = services_.clock.monotonic_ns();
  Catalog& catalog = services_.catalog;
  const auto [actions, planned] = decide(event);
  const bool replans = policy_->is_planner() && event.kind != PolicyEvent::Kind::requested;
  if (replans && planned)
    services_.events.publish(events::PlanMade{policy_name_, catalog.snapshot().alpha, planned->mean_quality,
                                              planned->mean_ttft_seconds, planned->utility, actions.size(),
                                              static_cast<double>(services_.clock.monotonic_ns() - start) * 1e-9});
  if (event.kind != PolicyEvent::Kind::commit_failed) failed_commits_ = 0;
  if (policy_->is_planner()) {
    if (replans || !actions.empty()) pending_.assign(actions.begin(), actions.end());
    return;
  }
  pending_.insert(pending_.end(), actions.begin(), actions.end());
  while (!pending_.empty()) place(1.0);
}

// Later decisions assumed the failed placement, so pending actions are dropped.
void PlacementExecutor::note_failure(const Digest128& context) {
  pending_.clear();
  if (++failed_commits_ <= 3) dispatch_event({.kind = PolicyEvent::Kind::commit_failed, .context = context});
}

void PlacementExecutor::take_failed_writes() {
  for (const Digest128& context : services_.store.take_failed_writes()) {
    services_.catalog.mark_changed();
    note_failure(context);
  }
}

// Requests must not wait for writes in flight to a slow tier: a plan continues when they have completed, while a
// reducer's actions are executed now or not at all.
bool PlacementExecutor::may_place() const {
  if (pending_.empty()) return false;
  return nobody_waits_() || !policy_->is_planner() || !services_.store.is_held_up(pending_.front());
}

void PlacementExecutor::place(double seconds) {
  const std::int64_t start = services_.clock.monotonic_ns();
  const TimedWork placing(services_.clock, counters_.placing_seconds());
  while (may_place()) {
    const PlacementAction action = std::move(pending_.front());
    pending_.pop_front();
    using Backlog = CacheStore::Backlog;
    const Status status = services_.store.commit(action, nobody_waits_() ? Backlog::wait : Backlog::refuse);
    services_.catalog.mark_changed();
    if (!status) return note_failure(action.context);
    if (frozen_) services_.store.finish_writes();
    const double took = static_cast<double>(services_.clock.monotonic_ns() - start) * 1e-9;
    if (services_.interrupted() || took > seconds) return;
  }
}

}  // namespace kvantage::inline store
