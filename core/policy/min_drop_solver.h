// The greedy of EvicPress (section 4.4, appendix A). Each context starts at its unconstrained best configuration. Then,
// from the fastest tier down: while the tier exceeds its budget, take the step with the least drop of utility among
// {compress more in place, move to any lower tier at any method and fraction, evict}. Options that free no byte of the
// full tier are left out. Contexts that moved down are treated in the same way there.
//
// Entries larger than a tier are left out there (`fitting`): starting them in a placement that cannot be kept would
// only displace entries that fit.
//
// More budget never lowers the total utility (start=utility) as long as no entry starts to fit. Each context follows
// its own chain of configurations: the next step, and its place in the queue, depend on the context alone, never on a
// budget. Utility never rises along a chain, bytes on a tier only shrink, and no step leads up. A larger budget stops
// the same merged queue of chains earlier and passes a subset of the same arrivals to the next tier. So every context
// stays at the same or an earlier position of its chain. An entry that starts to fit has a longer chain, and may
// displace many others.
// drop=best guarantees it for every budget: the maximum over a fixed set of greedies, with size limits that do not
// depend on budgets instead of `fitting`. A tier without a budget has no size limit either, so that an entry is never
// left to prefill for its size alone. Filling leftover space afterwards would break it. So do start=quality and
// prices, under which drop=best considers what fits, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/policy/planning_problem.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

enum class PlanStart : std::uint8_t {
  utility,  // argmax of utility, section 4.4
  quality,  // argmax of quality, algorithm 1; a larger budget may then yield better answers that come later
};
enum class DropMeasure : std::uint8_t {
  absolute,  // least drop of utility, per the paper
  per_byte,  // least drop per byte freed, per the paper's code
  best,      // the best of both over entry size limits: none, and quarter octaves below the largest
};
inline constexpr int best_quarter_octaves = 20;  // down to 1/32
struct PlanRules {
  PlanStart start = PlanStart::utility;
  DropMeasure drop = DropMeasure::absolute;
  // Space on lower tiers is charged at the prices of the linear relaxation (lp_bound.h) when an exit is chosen: the
  // greedy above ignores that it will be scarce. Not in the paper; more budget may then lower the total.
  bool lp_prices = false;
  QualityReading quality = QualityReading::pooled;   // of the problem that is solved
  std::shared_ptr<const Formula> formula = nullptr;  // the same; null: EvicPress's utility
  bool operator==(const PlanRules&) const = default;
};

/// The decision on one context, and the runner-up: the next step on its full tier, had this context stayed.
struct PlanChoice {
  int tier = not_stored;
  std::uint32_t option = 0;
  int full_tier = not_stored;  // the tier that forced the last step; not_stored = no step was taken
  double utility_drop = 0;     // of the last step
  int rival_item = -1;
  int rival_tier = not_stored;
  std::uint32_t rival_option = 0;
  double rival_drop = 0;
};

struct Assignment {
  std::vector<PlanChoice> choices;  // parallel to the problem's items
  double total_utility = 0;         // EvicPress's, whatever it was planned by
  std::uint64_t steps = 0;
};

class MinDropPlan;
/// Runs the plans that the rules choose the best of, in order; ties go to the first.
void attempt_plans(const PlanningProblem& problem, double alpha, const PlanRules& rules,
                   const std::function<void(std::unique_ptr<MinDropPlan>)>& take);

/// `explained`: with the drops and runner-ups of the choices, which a total does not need.
Assignment solve(const PlanningProblem& problem, double alpha, const PlanRules& rules, bool explained = true);

/// Quality, TTFT and utility per unit of frequency of a choice.
struct ChoiceValue {
  double quality = 0, ttft_seconds = 0;
};
ChoiceValue value_of(const PlanningProblem& problem, const PlanningItem& item, const PlanChoice& choice);

/// The assignment's totals alone.
FrontierPoint summary(const PlanningProblem& problem, double alpha, const Assignment& assignment);

/// The assignment with reasons and predictions, parallel to the contexts of `snapshot`, which the problem was built
/// from.
Plan describe(const Snapshot& snapshot, const PlanningProblem& problem, double alpha, const Assignment& assignment);

}  // namespace kvantage::inline policy
