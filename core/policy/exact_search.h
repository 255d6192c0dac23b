// The optimal assignment: exact branch and bound on the multiple-choice knapsack over all tiers.
//
// With a price for each tier's bytes (Lagrange multipliers) every context may choose independently, and the sum bounds
// the optimum from above. Prices are fitted once. An option whose loss against its context's best exceeds the gap
// between the bound and the best known assignment cannot improve it and is pruned. The rest is searched depth first,
// each node bounded by the same prices in constant time.
#pragma once

#include <cstdint>

#include "core/policy/min_drop_solver.h"
#include "core/policy/planning_problem.h"

namespace kvantage::inline policy {

struct SearchLimits {
  std::size_t contexts = 256;
  std::uint64_t nodes = 1'000'000;
};

struct SearchResult {
  Assignment assignment;   // the best found; never below the greedy plans
  double upper_bound = 0;  // no assignment exceeds this; the assignment's own utility where it is proven
  bool proven = false;     // optimality; false where a limit stopped the search
  std::uint64_t nodes = 0;
};

/// Assignment::steps counts nodes. Contexts without requests are left out of tiers, as in the greedy.
SearchResult search_optimum(const PlanningProblem& problem, double alpha, const SearchLimits& limits = {});

}  // namespace kvantage::inline policy
