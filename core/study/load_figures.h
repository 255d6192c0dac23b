// Figures that change what a policy works under: request rates (EvicPress 8), DRAM, bandwidths (its section 8), and
// AdaptCache against KIVI and StreamingLLM under Poisson arrivals (1, 2).
#pragma once

#include "core/report/figure.h"
#include "core/study/policy_outcome.h"

namespace kvantage {

/// 000/8. The highest rate that a policy bears: quality of at least `least_quality` (of the uncompressed answers' mean)
/// and a 95th percentile of TTFT, queueing included, of at most `ttft_bound_seconds`.
FigureResult figure_rates(const std::vector<PolicyOutcome>& outcomes, double least_quality, double ttft_bound_seconds);

/// 000/limits: under each condition evicpress beside LRU and the fixed policies.
FigureResult figure_limits(const std::vector<PolicyOutcome>& outcomes);

/// 001/1 and 001/2. `fast_tier`: its name.
FigureResult figure_adaptcache(const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier);

}  // namespace kvantage
