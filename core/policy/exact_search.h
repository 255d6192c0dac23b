// The optimal assignment: exact branch and bound on the multiple-choice knapsack over all tiers.
//
// With a price for each tier's bytes (Lagrange multipliers) every context may choose independently, and the sum bounds
// the optimum from above. Prices are fitted once. An option whose loss against its context's best exceeds the gap
// between the bound and the best known assignment cannot improve it and is pruned. The rest is searched depth first,
// each node bounded by the same prices in constant time. Where a limit stops that, the options that are left go to a
// MILP solver (milp/choice_problem.h), if the program was built with one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/policy/milp/choice_problem.h"
#include "core/policy/min_drop_solver.h"
#include "core/policy/planning_problem.h"

namespace kvantage::inline policy {

/// A SearchCancel of its thread (milp/choice_problem.h) ends it as these do.
struct SearchLimits {
  std::size_t contexts = 256;
  std::uint64_t nodes = 1'000'000;
  bool milp = true;  // where these limits stop the search
  ChoiceLimits choices = {};
};

struct SearchResult {
  Assignment assignment;   // the best found; never below the greedy plans
  double upper_bound = 0;  // no assignment exceeds this; the assignment's own utility where it is proven
  bool proven = false;     // optimality, by the solver to 1e-9 of the utility; false where a limit stopped the search
  std::uint64_t nodes = 0;
};

/// Assignment::steps counts nodes. Contexts without requests are left out of tiers, as in the greedy.
SearchResult search_optimum(const PlanningProblem& problem, double alpha, const SearchLimits& limits = {});

/// How far a plan can be from the optimum, as lp_gap(); exactly 0 where it is proven optimal. By the bound of the
/// search that made the plan (Plan::upper_bound), otherwise by the LP bound.
double plan_gap(const Snapshot& snapshot, const Plan& plan);
/// The same of a plan that is only known by its placements, made by the policy of this text. For `optimal`, the bound
/// is searched again, without the MILP solver.
double plan_gap(const Snapshot& snapshot, const Plan& plan, std::string_view policy);
/// "proven" for a gap of 0, else "2.8 %": as tables show it.
std::string gap_text(double gap);

}  // namespace kvantage::inline policy
