// A plan that is kept from one step of a policy to the next and brought into line with what changed meanwhile: a
// context's place, popularity or curve, a budget, alpha. New cost models, candidates or contexts mean a plan from
// scratch.
//
// Popularity fades for all contexts alike, and a common factor changes no decision: frequencies are kept in a unit that
// fades with them, so that a request changes one context and not all.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/policy/actions.h"
#include "core/policy/least_drop_plan.h"
#include "core/policy/policy.h"

namespace kvantage {

class LivePlan final : public PolicyMemory {
 public:
  explicit LivePlan(const PlanRules& rules) : rules_(rules) {}
  LivePlan(const LivePlan&) = delete;
  LivePlan& operator=(const LivePlan&) = delete;

  const PlanRules& rules() const { return rules_; }
  /// To be called before targets(), with the snapshot that they are wanted for.
  void follow(const Snapshot& snapshot);
  /// Where each context shall go, as describe(solve()) of the snapshot would say; reasons only of those that move.
  std::vector<Target> targets(const Snapshot& snapshot) const;

  /// What describe(solve()) of the snapshot would predict, in sum.
  FrontierPoint prediction(const Snapshot& snapshot) const;

  std::uint64_t plans_from_scratch() const { return from_scratch_; }
  std::uint64_t contexts_followed() const { return followed_; }

 private:
  struct Seen {
    std::shared_ptr<const ContextProfile> profile;  // held, so that no other one comes to lie at its place
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
  // A copy of what they were planned with; no contexts but their keys.
  Snapshot world_;
  std::vector<Digest128> keys_;
  double fallback_quality_ = 0;
  std::vector<Seen> seen_;  // parallel to the contexts
  std::optional<PlanningProblem> problem_;
  std::vector<std::unique_ptr<LeastDropPlan>> attempts_;
  bool follows_ = false;             // all attempts are kept
  std::uint64_t largest_bytes_ = 0;  // which the attempts' limits were made from
  std::size_t options_ = 0;          // of the problem when it was made
  std::uint64_t followed_since_ = 0;
  std::size_t best_ = 0;  // of the attempts
  std::uint64_t from_scratch_ = 0, followed_ = 0;
};

/// The one in `state` where it follows these rules, else a new one.
std::shared_ptr<LivePlan> take_live_plan(PolicyState& state, const PlanRules& rules);

}  // namespace kvantage
