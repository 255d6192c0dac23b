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
#include "core/experiments/policy_outcome.h"
#include "core/policy/policy.h"
#include "core/policy/types.h"
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

struct PaperDataset {
  const char* name;
  double mean_tokens;  // table 1
  double variation;    // standard deviation / mean, table 2, whose unit is not printed and cancels out
};
inline constexpr std::array<PaperDataset, 6> paper_datasets{{{"Samsum", 11'586, 17.0 / 34},
                                                             {"TriviaQA", 12'311, 25.0 / 47},
                                                             {"MultiNews", 2'741, 10.0 / 12},
                                                             {"2wikimQA", 7'526, 15.0 / 30},
                                                             {"Qasper", 4'885, 12.0 / 24},
                                                             {"NarrativeQA", 40'003, 55.0 / 108}}};
/// Mean tokens over the six data sets of table 1: 13,175 1/3.
double paper_mean_tokens();
/// Tokens of each context, the i-th of data set i % 6: log-normal draws with that data set's mean and variation, all
/// scaled by one factor so that their mean is paper_mean_tokens().
std::vector<int> paper_lengths(std::size_t contexts, std::uint64_t seed);

/// Contexts and machine of a simulation.
struct SimulatedScale {
  std::string name;
  Snapshot snapshot;                // contexts with curves, tiers with models, nothing stored
  std::vector<std::string> curves;  // parallel to the contexts: the measured context whose quality curve each has
};
/// The paper's scale. Each context has the curves under `methods` of a context of `measured`, which are dealt from the
/// seed, so that their counts differ by at most one. A form keeps its share of bytes and tokens. usage error where no
/// context of `measured` has a curve.
Expected<SimulatedScale> paper_scale(const PaperScale& scale, const Snapshot& measured,
                                     const std::vector<std::string>& methods, std::uint64_t seed);
/// The contexts of a session on its own tiers by its fits, the fastest one with this share of all KV, the others with
/// the multiples of evicpress-regime. Nothing where the session has another number of tiers, or no curves.
std::optional<SimulatedScale> session_scale(const Snapshot& measured, const std::vector<std::string>& methods,
                                            double first_share);

/// Of the fastest tier's budget to all uncompressed KV.
double first_tier_share(const SimulatedScale& scale);
/// Median over contexts of the seconds to load one uncompressed from the last tier: the unit of the paper's alphas.
double median_last_load_seconds(const SimulatedScale& scale);
/// Multiples of that unit, seconds per unit of quality: 0.1, 0.3, 1, 3, 10 as in the authors' simulator.
std::vector<double> paper_alphas(const SimulatedScale& scale);

/// usage error for a policy that reads by the text of questions, which are not simulated.
Status check_simulated_policy(const Policy& policy);
/// Each context is requested once, in order; then `requests`, indices into the contexts, one after the other. One
/// outcome, or one for each alpha where the policy uses it, without the first requests. Samples are grouped by the
/// measured context. Their quality is that expected on future questions, and their predicted quality the one that the
/// policy plans with. usage error for an unknown policy, or as check_simulated_policy().
Expected<std::vector<PolicyOutcome>> simulate_policy(const SimulatedScale& scale, const std::string& policy,
                                                     const std::vector<double>& alphas,
                                                     const std::vector<std::size_t>& requests);

struct ScaleStudy {
  SimulatedScale scale;
  std::vector<PolicyOutcome> outcomes;
};
/// Figure evicpress/paper-scale: points, hits and comparisons of both, and how far each is from evicpress-regime, or
/// from authors-simulator where DRAM is nearer to the share there. Nothing in it measures a claim.
FigureResult figure_paper_scale(const PaperFigure& figure, const ScaleStudy& paper,
                                const std::optional<ScaleStudy>& session);

}  // namespace kvantage::inline experiments
