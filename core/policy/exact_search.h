// The best assignment of all: an exact search of the multiple-choice knapsack over all tiers by branch and bound.
//
// With a price for each tier's bytes (Lagrange multipliers) every context may choose for itself, and the sum bounds the
// optimum from above. Prices are fitted once; an option whose loss against its context's best exceeds the distance
// between bound and best known assignment can be in no better one and is left out. What remains is searched depth
// first, each node bounded by the same prices in constant time.
#pragma once

#include <cstdint>

#include "core/policy/least_drop_solver.h"
#include "core/policy/planning_problem.h"

namespace kvantage {

struct SearchLimits {
  std::size_t contexts = 256;
  std::uint64_t nodes = 1'000'000;
};

struct SearchResult {
  Assignment assignment;   // the best found; never below the greedies'
  double upper_bound = 0;  // no assignment exceeds this; the assignment's own utility where it is proven
  bool proven = false;     // that it is the optimum; false where a limit stopped the search
  std::uint64_t nodes = 0;
};

/// Assignment::steps counts nodes. Contexts that nobody asks for are left out of tiers, as the greedy does.
SearchResult search_optimum(const PlanningProblem& problem, double alpha, const SearchLimits& limits = {});

}  // namespace kvantage
