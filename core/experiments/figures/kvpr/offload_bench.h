// Shared by the KVPR figures: a model, by default of random weights, a memory tier throttled to break-even, and
// the scheduler's profile of both.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/experiments/figures/kvpr/bandwidths.h"
#include "core/experiments/model/offload_study.h"
#include "core/experiments/studies/experiment.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline kvpr_figures {

/// Tokens of a prefill chunk, a block and a page, unless a figure has its own; and the maximum that a figure decodes.
inline constexpr int offload_chunk = 64, max_prompt = 16384, max_generated = 1024;

/// A model, its tier and the scheduler's profile of both.
struct OffloadBench {
  std::unique_ptr<Transformer> model;
  std::string model_name;  // "random-weight OPT", or its folder's
  std::unique_ptr<StorageTier> tier;
  std::unique_ptr<BufferLender> buffers;
  std::vector<std::int32_t> prompt;
  double bandwidth = 0;        // throttled
  std::string bandwidth_from;  // LinkBandwidth::origin()
  int chunk_tokens = offload_chunk;
  RecomputeProfile profile;
};

struct OffloadBenchOptions {
  int hidden = 0;        // 0: the command's
  bool llama = false;    // else OPT
  bool decodes = true;   // else no token is generated
  int batch = 1;         // sequences at most
  double bandwidth = 0;  // of the tier; 0: the command's, else where loading a token takes as long as recomputing it
  int chunk_tokens = offload_chunk;  // a split is whole chunks
};
/// On the model of --model, else on random weights. rejected_input: that model's layer inputs are no smaller than its
/// keys and values; usage: prompt and answer exceed its limit.
Expected<std::unique_ptr<OffloadBench>> open_bench(const FigureArguments& arguments,
                                                   const OffloadBenchOptions& options = {});
/// Link, recomputation and the rest of a step, measured again.
Expected<RecomputeProfile> profile_bench(const FigureArguments& arguments, OffloadBench& bench);

/// Decodes `generated` tokens after the first `prompt` ones, for a batch of `batch` sequences; begins a cell of the
/// progress, which whoever keeps the runs ends.
Expected<std::vector<OffloadedRun>> decode(const FigureArguments& arguments, OffloadBench& bench, int prompt,
                                           int generated, const OffloadStudyOptions& options = {}, int batch = 1);

/// One way to decode at one length.
struct OffloadCell {
  int prompt = 0, generated = 0, batch = 1;
  SplitMode mode = SplitMode::solved;
  OffloadStudyOptions options = {};  // its modes are not read
};

/// Of one block: sums over the steps of a run.
struct OffloadSums {
  double seconds = 0, predicted_seconds = 0, waited_seconds = 0, recompute_seconds = 0;
  double kv_bytes = 0, input_bytes = 0, weight_bytes = 0;
  double offloaded_bytes = 0;         // on the tier at the end
  double recomputed_tokens = 0;       // of each sequence, in the last step
  std::vector<std::int32_t> answers;  // OffloadedRun::tokens
};

/// A cell, measured once in each block.
struct MeasuredCell {
  OffloadCell cell;
  std::vector<OffloadSums> blocks = {};

  const char* way() const { return cell.mode == SplitMode::solved ? "split" : "load only"; }
  /// One value a block.
  std::vector<double> each(double OffloadSums::*sum) const;
  std::vector<double> tokens_per_second() const;
  std::vector<double> prediction_errors() const;
  /// Of `sum` as a part of the time.
  std::vector<double> share_of_time(double OffloadSums::*sum) const;
  double mean(double OffloadSums::*sum) const;
  double mean_per_step(double OffloadSums::*sum) const { return mean(sum) / cell.generated; }
  MeasuredSpan step_ms() const;
};

/// All cells in each block, in an order drawn for it. `look` gets each run. Errors: those of decode(); internal where
/// two ways of one length answer differently without a lossy codec.
Expected<std::vector<MeasuredCell>> measure_cells(
    const FigureArguments& arguments, OffloadBench& bench, const std::vector<OffloadCell>& cells,
    const std::function<void(std::size_t cell, const OffloadedRun& run)>& look = {});

/// Time of `after` / time of `before`, block by block.
MeasuredSpan time_ratio(const MeasuredCell& after, const MeasuredCell& before);
/// 1 - that: the share of the time that `after` saves.
MeasuredSpan time_saved(const MeasuredCell& after, const MeasuredCell& before);
/// With the settings that all of them share. batch: in text form.
FigureResult begin_offload(const PaperFigure& figure, const FigureArguments& arguments, const OffloadBench& bench,
                           const Json& batch = 1);

std::string percent(double share);
/// "12 - 30 %", or a single number.
std::string range_of(const std::vector<MeasuredSpan>& shares);

/// A figure that a random-weight model makes, decoding from a tier that is throttled to the range where partial
/// recomputation matters.
class OffloadExperiment final : public Experiment {
 public:
  using Make = Expected<FigureResult> (*)(const PaperFigure& figure, const FigureArguments& arguments);
  /// Of the list of --bandwidth, the one that claims are measured at.
  using Place = std::size_t (*)(const std::vector<LinkBandwidth>& bandwidths);
  OffloadExperiment(PaperFigure figure, Make make, Place place = claims_place);

  /// Lengths beyond the supported maximum, bandwidths that are none, or a width that heads do not divide.
  Status check(const FigureArguments& arguments) const override;
  /// At every bandwidth of --bandwidth, each with blocks of its own.
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override;

 private:
  const Make make_;
  const Place place_;
};

}  // namespace kvantage::inline kvpr_figures
