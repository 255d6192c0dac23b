// A policy decides on which tier each context's cache is and how much of it is kept. Deciding is pure: step() is a
// deterministic reducer from (state, event) to actions, plan() a function of a snapshot. The caller executes the
// actions (the engine's CacheStore, or the simulator by arithmetic) and keeps Snapshot up to date. To add one: a file
// with a class, and one row in policies.inl.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/policy/formula/formula.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

/// Policy state beyond the snapshot (queues, counts); opaque to callers.
class PolicyMemory {
 public:
  virtual ~PolicyMemory() = default;
};

/// Live state of a policy run. The caller updates `snapshot` (placements, frequencies, last_access, profiles) and
/// applies the returned actions to it before the next event.
struct PolicyState {
  Snapshot snapshot;
  std::shared_ptr<PolicyMemory> memory =
      nullptr;  // set by advance(); null or another policy's: starts from the snapshot
};

/// Predictions of a plan at one alpha; means weighted by frequency.
struct FrontierPoint {
  double alpha = 0;
  double mean_ttft_seconds = 0, mean_quality = 0, utility = 0;
};

/// The result of one event.
struct PolicyStep {
  std::vector<PlacementAction> actions;
  std::optional<FrontierPoint> planned = {};  // predictions of the underlying plan; nothing: no plan was made
};

/// Plans one snapshot at a series of alphas; precomputes everything independent of alpha.
class AlphaPlanner {
 public:
  virtual ~AlphaPlanner() = default;
  /// Predictions of plan() of the snapshot at this alpha, without reasons.
  virtual FrontierPoint at(double alpha) = 0;
};

/// How hits of a policy read the contexts that it stores in chunks (core/request/important_reads_stage.h).
struct QuestionTimeReads {
  double kept = 1;  // share of tokens that each probe head names as important to the question
  int probes = 3;   // KV heads
};

/// The tier that holds these contexts whole, of so many tiers, fastest first; `is_unlimited`: of a tier's index. It is
/// the slowest one with a budget, as the SSD of IMPRESS (Chen et al., FAST 2025). What does not fit there overflows to
/// the unlimited tiers below it. The fastest tier is for copies of chunks (core/store/chunk_cache.h), so of several
/// tiers it is the second one at least. 0 without tiers.
template <class IsUnlimited>
std::size_t whole_context_tier(std::size_t tiers, IsUnlimited is_unlimited) {
  if (tiers < 2) return 0;
  std::size_t last = tiers - 1;
  while (last > 1 && is_unlimited(last)) --last;
  return last;
}

class Policy {
 public:
  virtual ~Policy() = default;
  /// Text form, e.g. "evicpress", "lru", "fixed(snapkv,0.5)".
  virtual std::string name() const = 0;
  /// Whether alpha changes its decisions: such policies have a predicted curve, others are points.
  virtual bool uses_alpha() const = 0;
  /// Whether step() uses plan(): optimizing policies re-plan; reducers (lru) only follow events.
  virtual bool is_planner() const = 0;
  /// The method and removed fraction of new contexts, for policies that compress before storing.
  virtual Configuration admission(const ContextState& context) const = 0;
  /// Nothing: hits read what is stored.
  virtual std::optional<QuestionTimeReads> question_time_reads() const { return std::nullopt; }
  /// Which quality of a form its plans take.
  virtual QualityReading quality_reading() const { return QualityReading::pooled; }
  /// By which it plans in place of EvicPress's utility; null: that, or none.
  virtual const Formula* utility_formula() const { return nullptr; }
  /// Actions for one event; applying them in order never leaves a tier above its budget.
  virtual PolicyStep step(const PolicyState& state, const PolicyEvent& event) const = 0;
  /// step(), but stores the policy's memory in state.memory; nothing else of `state` changes.
  virtual PolicyStep advance(PolicyState& state, const PolicyEvent& event) const;
  /// A full assignment for a snapshot. Reducers return the present placements with their predictions.
  virtual Plan plan(const Snapshot& snapshot) const = 0;
  /// For policies that use alpha. The snapshot must outlive the result.
  virtual std::unique_ptr<AlphaPlanner> alpha_planner(const Snapshot& snapshot) const;
  /// The predictions of plan() at other alphas: empty for policies that do not use alpha.
  std::vector<FrontierPoint> curve(const Snapshot& snapshot, const std::vector<double>& alphas) const;
};

/// Whether its plans compare utilities, its own or EvicPress's: others follow events.
inline bool weighs_utility(const Policy& policy) { return policy.uses_alpha() || policy.utility_formula() != nullptr; }

/// Parses the text form of a policy: "lru", "fixed(METHOD,REMOVED_FRACTION)", "evicpress(start=quality)"; policy_info.h
/// lists all of them. usage error with a near miss for unknown names.
Expected<std::shared_ptr<const Policy>> make_policy(std::string_view text);
/// Texts that make_policy parses, one or more per policy, as a user may pick them.
std::vector<std::string> known_policies();

}  // namespace kvantage::inline policy
