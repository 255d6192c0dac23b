// EvicPress at the scale of its evaluation, simulated: 555 contexts of the lengths of the paper on 80 GB of DRAM, 800
// GB of SSD and unlimited remote storage, with the times of its authors' profiles. The policies are the real ones
// (core/policy/simulate.h), and quality curves are those that a session measured; bytes and times are arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/simulated_scale.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Machine and model of EvicPress's evaluation. Times are seconds a token in the authors' profiles of Qwen3-30B-A3B,
/// the only model with published ones; intercepts are not published and are 0.
struct PaperScale {
  std::size_t contexts = 555;              // section 6.1, as are the budgets
  std::uint64_t bytes_per_token = 98'304;  // keys and values of 48 layers with 4 KV heads of 128, bf16
  std::uint64_t dram_bytes = 80'000'000'000, ssd_bytes = 800'000'000'000;
  double dram_share = 0;  // of all KV, and SSD the regime's multiple of that; 0: the bytes above
  double prefill_seconds = 3.95e-5, dram_seconds = 3.40e-6, ssd_seconds = 1.77e-5, remote_seconds = 1.878e-4;
};

/// Means of table 1; standard deviation / mean of table 2, whose unit is not printed and cancels out.
inline constexpr std::array<PaperDataset, 6> paper_datasets{{{"Samsum", 11'586, 17.0 / 34},
                                                             {"TriviaQA", 12'311, 25.0 / 47},
                                                             {"MultiNews", 2'741, 10.0 / 12},
                                                             {"2wikimQA", 7'526, 15.0 / 30},
                                                             {"Qasper", 4'885, 12.0 / 24},
                                                             {"NarrativeQA", 40'003, 55.0 / 108}}};
/// Mean tokens over the six data sets of table 1: 13,175 1/3.
double paper_mean_tokens();
/// dataset_lengths() of these.
std::vector<int> paper_lengths(std::size_t contexts, std::uint64_t seed);

/// The paper's scale: contexts_at_scale() with one deck, of all contexts that have a curve. usage error where none has.
Expected<SimulatedScale> paper_scale(const PaperScale& scale, const Snapshot& measured,
                                     const std::vector<std::string>& methods, std::uint64_t seed);
/// The contexts of a session on its own tiers by its fits, the fastest one with this share of all KV, the others with
/// the multiples of evicpress-regime. Nothing where the session has another number of tiers, or no curves.
std::optional<SimulatedScale> session_scale(const Snapshot& measured, const std::vector<std::string>& methods,
                                            double first_share);

/// Median over contexts of the seconds to load one uncompressed from the last tier: the unit of the paper's alphas.
double median_last_load_seconds(const SimulatedScale& scale);
/// Multiples of that unit, seconds per unit of quality: 0.1, 0.3, 1, 3, 10 as in the authors' simulator.
std::vector<double> paper_alphas(const SimulatedScale& scale);

struct ScaleStudy {
  SimulatedScale scale;
  std::vector<PolicyOutcome> outcomes;
};
/// Figure evicpress/paper-scale: points, hits and comparisons of both, and how far each is from evicpress-regime, or
/// from authors-simulator where DRAM is nearer to the share there. Nothing in it measures a claim.
FigureResult figure_paper_scale(const PaperFigure& figure, const ScaleStudy& paper,
                                const std::optional<ScaleStudy>& session);

}  // namespace kvantage::inline experiments
