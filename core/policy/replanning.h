// When an optimizing policy re-plans.
#pragma once

#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

/// On each new context, profile or setting; every `replan_requests` requests (0: never), because popularity drifts; and
/// when a tier exceeds its budget.
inline bool time_to_plan(const Snapshot& snapshot, const PolicyEvent& event, std::uint64_t replan_requests) {
  switch (event.kind) {
    case PolicyEvent::Kind::context_computed:
    case PolicyEvent::Kind::profile_changed:
    case PolicyEvent::Kind::settings_changed:
      return true;
    // The same plan would fail the same way: the next event plans from the updated snapshot.
    case PolicyEvent::Kind::commit_failed:
      return false;
    case PolicyEvent::Kind::requested:
      break;
  }
  const auto index = find_context(snapshot, event.context);
  const bool due = index && replan_requests > 0 && snapshot.contexts[*index].last_access % replan_requests == 0;
  return due || over_budget(snapshot);
}

/// The totals that a plan predicts.
inline FrontierPoint prediction_of(const Plan& plan, double alpha) {
  return {alpha, plan.mean_ttft_seconds, plan.mean_quality, plan.total_utility};
}

/// A plan as targets for ordered_actions().
inline std::vector<Target> targets_of(const Plan& plan) {
  std::vector<Target> targets;
  targets.reserve(plan.contexts.size());
  for (const PlannedContext& context : plan.contexts)
    targets.push_back({context.configuration, context.bytes, context.utility_drop, context.reason});
  return targets;
}

/// The step that executes a plan of the snapshot.
inline PolicyStep step_to(const Snapshot& snapshot, const Plan& plan) {
  return {ordered_actions(snapshot, targets_of(plan)), prediction_of(plan, snapshot.alpha)};
}

}  // namespace kvantage::inline policy
