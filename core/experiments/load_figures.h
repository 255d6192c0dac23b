// Figures that vary the conditions of a policy: request rates (EvicPress 8), DRAM, bandwidths (its section 8), and
// AdaptCache against KIVI and StreamingLLM under Poisson arrivals (1, 2).
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Limits of a sustainable rate: mean quality, 0 to 1, and for one table a 95th percentile of TTFT, queueing included,
/// for the other a mean inter-token latency.
struct RateBounds {
  double min_quality = 0.8;
  double ttft_seconds = 1;
  double itl_seconds = 0;  // 0: `unloaded_times` the unloaded one
  double unloaded_times = 2;
};
/// evicpress/fig8: the highest rate that each policy sustains, and the engine's time breakdown. Outcomes under
/// `unloaded_condition` are served one at a time and give the unloaded inter-token latency.
inline constexpr const char* unloaded_condition = "one at a time";
FigureResult figure_rates(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          const RateBounds& bounds);

/// evicpress/limits: under each condition evicpress next to LRU and the fixed policies. The first condition of the
/// outcomes is the unchanged one; under these the paper sees less gain.
inline constexpr const char* limit_abundant_dram = "abundant DRAM";
inline constexpr const char* limit_all_dram = "all budget in DRAM";  // the paper does not cover this one
inline constexpr const char* limit_equal_bandwidths = "equal bandwidths";
inline constexpr const char* limit_changing_bandwidth = "bandwidth cut to a quarter halfway through the run";
FigureResult figure_limits(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes);

/// adaptcache/fig1 and adaptcache/fig2. `fast_tier`: its name.
FigureResult figure_adaptcache(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                               const std::string& fast_tier);

}  // namespace kvantage::inline experiments
