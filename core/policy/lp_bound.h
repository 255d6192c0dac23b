// How good a plan can be at best: an upper bound of the multiple-choice knapsack over all tiers, from its Lagrangian
// dual. A price per byte is put on each tier; every context takes its best configuration at these prices, and whatever
// the prices,
//     sum over tiers (price * budget) + sum over contexts max (frequency * (alpha * quality - ttft) - price * bytes)
// is at least the utility of any assignment that keeps the budgets. The least such bound over all prices equals the
// optimum of the linear relaxation (contexts may be split between configurations). It is searched for with the
// ellipsoid method: the tiers are few, and the method tells how far it still can be off.
#pragma once

#include <vector>

#include "core/policy/planning_problem.h"

namespace kvantage {

struct LpBound {
  double utility = 0;          // no assignment within the budgets has more
  double slack = 0;            // the least bound is not lower than utility - slack
  std::vector<double> prices;  // utility per byte, by tier; 0 where the budget does not bind
  double prefill_utility = 0;  // of storing nothing, but for what is pinned
};

/// The budgets must have room for what is pinned.
LpBound lp_bound(const PlanningProblem& problem, double alpha);

/// The prices alone, from a sample when there are many contexts: quick, and no bound.
std::vector<double> lp_prices(const PlanningProblem& problem, double alpha);

/// (bound - achieved) / (bound - utility of prefilling everything): the share of what storing can gain at most that a
/// plan leaves. 0 when storing gains nothing.
double lp_gap(const LpBound& bound, double achieved_utility);
/// The same of what `plan` assigns to the snapshot's contexts at its alpha.
double lp_gap(const Snapshot& snapshot, const Plan& plan);

}  // namespace kvantage
