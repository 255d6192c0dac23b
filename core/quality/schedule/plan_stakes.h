// How much a plan depends on each cell of a grid. Utilities are EvicPress's, (alpha * quality - ttft) * frequency; the
// plan is its least-drop greedy, at the present budgets.
//
// A cell is out of the race where no plan can need it, at any alpha of the range, any budgets up to the present ones
// and any frequencies: for every tier that the form x fits on, there is another way y to serve the context with
//     bytes(y) <= bytes(x)   and   alpha * low(y) - ttft(y) >= alpha * high(x) - ttft(x)   at both ends of the range.
// y is another form on the same tier, or prefilling again (0 bytes). Both sides are linear in alpha, so the second line
// holds in between. Where intervals hold, putting y in place of x in any plan keeps every budget and loses no utility:
// there is an optimal plan without x. Bytes of forms that were never made are estimated, and are given 3 % of doubt.
//
// The stake of a cell is what more answers to it are expected to add to the plan's utility, as a share of it: the mean
// of what its form's utility is above that of the plan's choice, where it is (expected improvement, Mockus 1975), space
// on tiers charged at the prices of the linear relaxation (lp_bound.h). None where both have been asked all questions.
// The difference of both qualities has the interval of independent estimates (square-and-add, Newcombe 1998).
//
// What measuring could still add to the whole plan is bounded, with 95 % confidence: by the mean of what the best
// challenger of each context adds, and by how far the upper end of that interval is above it. Gains are never below 0,
// so the means add up; contexts are measured independently, so the rest adds up as deviations do.
#pragma once

#include <cstddef>
#include <vector>

#include "core/policy/types.h"
#include "core/quality/schedule/grid_beliefs.h"

namespace kvantage::inline schedule {

/// Multiples of the present alpha.
struct AlphaRange {
  double lowest = 0.25, highest = 4;
};

struct ContextStakes {
  std::size_t chosen = 0;      // form of the plan at the present alpha; 0 also where nothing is stored
  std::vector<double> stakes;  // by form; the greatest of those at the present alpha and, with a quarter of the
                               // weight, at the range's ends; 0: none
  std::vector<bool> dropped;   // by form: out of the race
  double expected = 0;         // mean of what measuring this context adds at the present alpha
  double regret = 0;           // what measuring this context could add at the present alpha (95 %)
};

struct PlanStakes {
  std::vector<ContextStakes> contexts;
  double utility = 0;       // of the plan at the present alpha
  double may_rise = 0;      // by more measuring, as a share of it, with 95 % confidence
  std::size_t dropped = 0;  // cells
};

/// Bytes and tokens of a form, as shares of the uncompressed context's: means over the contexts that it was made on,
/// else what its removed fraction leaves.
struct FormShare {
  double bytes = 1, tokens = 1;
};
std::vector<FormShare> form_shares(const Snapshot& live, const MeasuredGrid& grid);

/// Every known cell of a context as a point of its profile. The interval of `quality` holds the mean of own answers,
/// too; n = 0: pooled.
std::vector<ProfilePoint> grid_points(const ContextFacts& context, std::size_t index, const MeasuredGrid& grid,
                                      const GridBeliefs& beliefs, const std::vector<FormShare>& shares);

/// The live snapshot as it would be with every known cell of the grid in its profiles, every context archived and none
/// pinned. Bytes of forms that were not made on a context are those of other contexts, in proportion; else estimated.
/// The contexts of both are in the same order.
Snapshot grid_snapshot(const Snapshot& live, const MeasuredGrid& grid, const GridBeliefs& beliefs);

/// planned: of grid_snapshot().
PlanStakes plan_stakes(const Snapshot& planned, const MeasuredGrid& grid, const GridBeliefs& beliefs,
                       const AlphaRange& range);

}  // namespace kvantage::inline schedule
