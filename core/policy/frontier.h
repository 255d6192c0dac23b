// Frontiers for the window: quality against TTFT over alpha for planning policies, and the range of alpha worth
// showing. All of it is predicted for the steady state: every profiled context is taken as computed, nothing as pinned.
#pragma once

#include <vector>

#include "core/policy/policy.h"

namespace kvantage {

/// The snapshot as it will be once every context has been asked for: profiled contexts have an archived original,
/// nothing is being read. If no context has been asked for yet, all count alike.
Snapshot steady_state(Snapshot snapshot);

/// One point per alpha, in order; empty for policies that do not know alpha (simulate.h has modelled points for them).
std::vector<FrontierPoint> predict_frontier(const Snapshot& snapshot, const Policy& policy,
                                            const std::vector<double>& alphas);

/// Range of alpha (seconds per unit of quality) for a logarithmic slider.
struct AlphaScale {
  double lowest = 0.01, middle = 1, highest = 100;
  /// `count` alphas from lowest to highest, evenly spaced on the logarithmic scale.
  std::vector<double> grid(std::size_t count) const;
};
/// The middle is the median over contexts of the slowest way to answer (prefill, or the uncompressed cache from the
/// slowest tier), the ends 1/100 and 100 times that: from "only time counts" to "only quality counts".
AlphaScale alpha_scale(const Snapshot& snapshot);

}  // namespace kvantage
