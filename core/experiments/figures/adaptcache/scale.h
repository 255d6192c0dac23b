// AdaptCache at the scale of its evaluation, simulated: 1,100 contexts of the lengths of its six LongBench data sets on
// 100 GB of DRAM and 400 GB of SSD, Poisson arrivals. The policies are the real ones, and quality curves are those that
// a session measured; bytes and times are arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/simulated_scale.h"
#include "core/report/figure.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage::inline adaptcache_figures {

/// Section 3 of the paper, but for seconds a token of prefill and DRAM, which are slopes of the lines in its authors'
/// code; their intercepts are left out. Unpacking takes no time.
struct AdaptCacheScale {
  std::size_t contexts = 1100;
  std::uint64_t bytes_per_token = 131'072;  // keys and values of 32 layers with 8 KV heads of 128, bf16: Llama-3.1-8B
  std::uint64_t dram_bytes = 100'000'000'000, ssd_bytes = 400'000'000'000;
  double dram_share = 0;  // of all KV, and SSD the regime's multiple of that; 0: the bytes above
  double prefill_seconds = 1.179e-4, dram_seconds = 8.547e-6;
  double ssd_bytes_per_second = 1e9;
};

/// In equal parts: the paper does not print how many contexts each has. Nor does it print lengths, which are assumed:
/// means are those of LongBench (LongBench/task.md of github.com/THUDM/LongBench), which counts words by Python's
/// split, at four tokens to three words. That ratio is of English text; code has more tokens to a word. Variations are
/// those of EvicPress's table 2, where it has the data set (its 27/57, 17/34, 18/57, 25/47); for code, which it has
/// not, their mean.
inline constexpr std::array<PaperDataset, 6> adaptcache_datasets{{{"qmsum", 10'614 * 4 / 3.0, 27.0 / 57},
                                                                  {"samsum", 6'258 * 4 / 3.0, 17.0 / 34},
                                                                  {"hotpotqa", 9'151 * 4 / 3.0, 18.0 / 57},
                                                                  {"triviaqa", 8'209 * 4 / 3.0, 25.0 / 47},
                                                                  {"lcc", 1'235 * 4 / 3.0, 0.455},
                                                                  {"repobench-p", 4'206 * 4 / 3.0, 0.455}}};

/// The paper's scale. A data set takes its quality curves from the measured contexts of its task, by
/// metric_for_family(); where there are none, from all. usage error where no context of `measured` has a curve.
Expected<SimulatedScale> adaptcache_scale(const AdaptCacheScale& scale, const Snapshot& measured,
                                          const std::vector<std::string>& methods, std::uint64_t seed);

/// Poisson arrivals, the first one gap after 0.
std::vector<double> poisson_arrivals(std::size_t requests, double requests_per_second, std::uint64_t seed);

/// Figure adaptcache/paper-scale: the tables of adaptcache/fig2, marked as simulated, and how far the simulation is
/// from adaptcache-regime. Nothing in it measures a claim.
FigureResult figure_adaptcache_scale(const PaperFigure& figure, const SimulatedScale& scale,
                                     const std::vector<PolicyOutcome>& outcomes, double requests_per_second);

}  // namespace kvantage::inline adaptcache_figures
