// A policy decides where each context's cache lives and how much of it is kept. Deciding is pure: step() is a
// deterministic reducer from (state, event) to actions, plan() a function of a snapshot. Whoever calls carries the
// actions out (the engine's CacheStore, or the simulator by arithmetic) and keeps Snapshot true.
// To add one: a file with a class, and one row in policies.inl.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/policy/types.h"

namespace kvantage {

/// What a policy keeps in mind beside the snapshot (queues, counts): callers only carry it.
class PolicyMemory {
 public:
  virtual ~PolicyMemory() = default;
};

/// Live state of a policy run. The caller updates `snapshot` (placements, frequencies, last_access, profiles) and
/// applies the returned actions to it before the next event.
struct PolicyState {
  Snapshot snapshot;
  std::shared_ptr<PolicyMemory> memory =
      nullptr;  // left by advance(); null or another policy's: begins from the snapshot
};

/// What a plan predicts at one alpha; means weighed by frequency.
struct FrontierPoint {
  double alpha = 0;
  double mean_ttft_seconds = 0, mean_quality = 0, utility = 0;
};

/// What comes of one event.
struct PolicyStep {
  std::vector<PlacementAction> actions;
  std::optional<FrontierPoint> planned = {};  // what the plan that they came from predicts; nothing: none was made
};

/// Plans one snapshot at one alpha after another; what does not depend on alpha was prepared once.
class AlphaPlanner {
 public:
  virtual ~AlphaPlanner() = default;
  /// What plan() of the snapshot predicts at this alpha, without its words.
  virtual FrontierPoint at(double alpha) = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// Text form, e.g. "evicpress", "lru", "fixed(snapkv,0.5)".
  virtual std::string name() const = 0;
  /// Whether alpha changes its decisions: such policies have a predicted curve, others are points.
  virtual bool uses_alpha() const = 0;
  /// Whether step() uses plan(): optimizing policies re-plan, reducers (lru) follow events only.
  virtual bool is_planner() const = 0;
  /// The method and removed fraction in which a context enters, for policies that compress before storing.
  virtual Configuration admission(const ContextState& context) const = 0;
  /// Actions for one event; applying them in order never leaves a tier above its budget.
  virtual PolicyStep step(const PolicyState& state, const PolicyEvent& event) const = 0;
  /// step(), and what the policy wants to remember of it goes into state.memory; nothing else of `state` changes.
  virtual PolicyStep advance(PolicyState& state, const PolicyEvent& event) const;
  /// A full assignment for a snapshot. Reducers return the present placements with their predictions.
  virtual Plan plan(const Snapshot& snapshot) const = 0;
  /// For policies that know alpha. The snapshot outlives what comes back.
  virtual std::unique_ptr<AlphaPlanner> alpha_planner(const Snapshot& snapshot) const;
  /// The predictions of plan() at other alphas: empty for policies that do not know alpha.
  std::vector<FrontierPoint> curve(const Snapshot& snapshot, const std::vector<double>& alphas) const;
};

/// Parses the text form of a policy: "lru", "fixed(METHOD,REMOVED_FRACTION)", "evicpress(start=quality)"; all of them
/// stand in policy_info.h. usage error with a near miss for unknown names.
Expected<std::shared_ptr<const Policy>> make_policy(std::string_view text);
/// Texts that make_policy understands, one or more per policy, as a user may pick them.
std::vector<std::string> known_policies();

}  // namespace kvantage
