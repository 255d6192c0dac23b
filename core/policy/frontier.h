// Frontiers for the window: quality against TTFT over alpha for planning policies, and the useful range of alpha. All
// values are predicted for the steady state: every profiled context counts as computed, none as pinned.
#pragma once

#include <vector>

#include "core/policy/policy.h"

namespace kvantage::inline policy {

/// The snapshot as it will be once every context has been requested: profiled contexts have an archived original,
/// nothing is being read. Before the first request, all contexts have equal weight.
Snapshot steady_state(Snapshot snapshot);
/// The same, with contexts that were not requested yet: together they are as likely as those requested once were among
/// all requests (Good and Turing), at most half, and none more than a context requested once. Without this, a cache
/// seems to hold all that will be asked for while a run has just begun.
Snapshot expected_demand(Snapshot snapshot);

/// One point per alpha, in order; empty for policies that do not use alpha (simulate.h has simulated points for them).
std::vector<FrontierPoint> predict_frontier(const Snapshot& snapshot, const Policy& policy,
                                            const std::vector<double>& alphas);

/// Range of alpha (seconds per unit of quality) for a logarithmic slider.
struct AlphaScale {
  double lowest = 0.01, middle = 1, highest = 100;
  /// `count` alphas from lowest to highest, evenly spaced on a log scale.
  std::vector<double> grid(std::size_t count) const;
};
/// The middle is the median over contexts of the slowest way to answer (prefill, or the uncompressed cache from the
/// slowest tier). The ends are 1/100 and 100 times that: from "only time counts" to "only quality counts".
AlphaScale alpha_scale(const Snapshot& snapshot);

}  // namespace kvantage::inline policy
