// Figures that vary the conditions of a policy: request rates (EvicPress 8), DRAM, bandwidths (its section 8), and
// AdaptCache against KIVI and StreamingLLM under Poisson arrivals (1, 2).
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Limits of a sustainable rate: mean quality, 0 to 1, and for one table a mean TTFT, queueing included, for the other
/// a mean inter-token latency. EvicPress compares "at the same TTFT level" and "at the same ITL level" (section 6.2,
/// figure 8) and prints neither. Where none is given in seconds:
///
/// - TTFT is compared at `prefills` times the mean prefill of a context. At twice the prefill, full prefill queues for
///   as long as it is served. Section 6.2 has EvicPress at 1 / 2.19 to 1 / 1.29 of a prefill near full quality, and LRU
///   at 1.22 to 1.56 times that: at most 1.21 prefills. So the level limits queueing, and the best baseline, at least
///   as fast as these two, does not fail it by its service alone.
/// - Inter-token latency is compared at `unloaded_times` the unloaded one, doubled until a policy other than evicpress
///   meets it at one of its rates with the minimum quality. So the best baseline has a rate to compare with. The lowest
///   latency of a baseline is no such level: it is that of the lowest tested rate, one cell with its noise, and would
///   compare evicpress with a baseline at rest. Doubling ties the level to the unloaded latency, and a baseline may
///   sustain several rates within it.
struct RateBounds {
  double min_quality = 0.8;
  double ttft_seconds = 0;     // 0: `prefills` times prefill_seconds
  double prefill_seconds = 0;  // mean of a context; 0: unknown
  double prefills = 2;
  double itl_seconds = 0;  // 0: from `unloaded_times` the unloaded one on
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

/// With the seconds from arrival to the first token as TTFT: requests arrive by Poisson, and wait.
std::vector<PolicyOutcome> timed_from_arrival(std::vector<PolicyOutcome> outcomes);
/// adaptcache/fig1, adaptcache/fig2 and adaptcache/coding. `fast_tier`: its name. Loads from
/// `slow_tier` are compared where it is given. Claims about time are of TTFT with
/// queueing, and those about hit rates of runs on code alone.
FigureResult figure_adaptcache(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                               const std::string& fast_tier, const std::string& slow_tier = {});

}  // namespace kvantage::inline experiments
