// Upper bound on the utility of any plan: the multiple-choice knapsack over all tiers, from its Lagrangian dual. A
// price per byte is put on each tier, and every context takes its best configuration at these prices. For any prices,
//     sum over tiers (price * budget) + sum over contexts max (frequency * (alpha * quality - ttft) - price * bytes)
// is at least the utility of any assignment that keeps the budgets. The least such bound over all prices equals the
// optimum of the linear relaxation (contexts may be split between configurations). It is found with the ellipsoid
// method: there are few tiers, and the method bounds its own error.
#pragma once

#include <vector>

#include "core/policy/planning_problem.h"

namespace kvantage::inline policy {

struct LpBound {
  double utility = 0;          // no assignment within the budgets exceeds this
  double slack = 0;            // the least bound is at least utility - slack
  std::vector<double> prices;  // utility per byte, by tier; 0 where the budget does not bind
  double prefill_utility = 0;  // of storing nothing except pinned contexts
};

/// The budgets must hold the pinned contexts.
LpBound lp_bound(const PlanningProblem& problem, double alpha);

/// Only the prices, from a sample when there are many contexts: fast, but not a bound.
std::vector<double> lp_prices(const PlanningProblem& problem, double alpha);

/// Optimality gap: (bound - achieved) / (bound - utility of prefilling everything), the share of the possible gain that
/// a plan misses. 0 when storing gains nothing.
double lp_gap(const LpBound& bound, double achieved_utility);
/// The same for the assignment of `plan` to the snapshot's contexts at its alpha.
double lp_gap(const Snapshot& snapshot, const Plan& plan);

}  // namespace kvantage::inline policy
