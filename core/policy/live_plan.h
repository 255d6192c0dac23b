// A plan cached between the steps of a policy and updated with what changed: a context's placement, popularity or
// curve, a budget, alpha. New cost models, candidates or contexts cause a rebuild.
//
// Popularity decays for all contexts alike, and a common factor changes no decision. Frequencies use a unit that decays
// with them, so that a request changes one context and not all. Under a formula that does not scale with frequency
// every step plans from scratch.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/policy/actions.h"
#include "core/policy/min_drop_plan.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

class LivePlan final : public PolicyMemory {
 public:
  explicit LivePlan(const PlanRules& rules) : rules_(rules) {}
  LivePlan(const LivePlan&) = delete;
  LivePlan& operator=(const LivePlan&) = delete;

  const PlanRules& rules() const { return rules_; }
  /// Call before targets(), with the same snapshot.
  void follow(const Snapshot& snapshot);
  /// Where each context should go, as describe(solve()) of the snapshot would say; reasons only for those that move.
  std::vector<Target> targets(const Snapshot& snapshot) const;

  /// The totals that describe(solve()) of the snapshot would predict.
  FrontierPoint prediction(const Snapshot& snapshot) const;

  std::uint64_t plans_from_scratch() const { return from_scratch_; }
  std::uint64_t contexts_followed() const { return followed_; }

 private:
  struct Seen {
    std::shared_ptr<const ContextProfile> profile;  // owned, so that its address is not reused
    Configuration placement;
    std::uint64_t stored_bytes = 0;
    double frequency = 0;
    bool pinned = false, archived = false;
  };
  static Seen seen_of(const ContextState& context);
  bool same_world(const Snapshot& snapshot) const;
  bool seen(const ContextState& context, const Seen& before, double faded) const;
  void build(const Snapshot& snapshot);
  void choose();

  PlanRules rules_;
  // A copy of the inputs of the plan; of the contexts only their keys.
  Snapshot world_;
  std::vector<Digest128> keys_;
  double fallback_quality_ = 0;
  std::vector<Seen> seen_;  // parallel to the contexts
  std::optional<PlanningProblem> problem_;
  std::vector<std::unique_ptr<MinDropPlan>> attempts_;
  bool follows_ = false;             // all attempts are cached
  std::uint64_t largest_bytes_ = 0;  // the attempts' limits derive from it
  std::size_t options_ = 0;          // of the problem when it was made
  std::uint64_t followed_since_ = 0;
  std::size_t best_ = 0;  // of the attempts
  std::uint64_t from_scratch_ = 0, followed_ = 0;
};

/// The plan in `state` where it follows these rules, else a new one.
std::shared_ptr<LivePlan> take_live_plan(PolicyState& state, const PlanRules& rules);

// When and how a policy that optimizes re-plans.

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
