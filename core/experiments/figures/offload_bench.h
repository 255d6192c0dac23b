// Shared by the KVPR figures: a model, by default of random weights, a memory tier throttled to break-even, and
// the scheduler's profile of both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/model/offload_study.h"

namespace kvantage::inline figures {

/// Tokens of a prefill chunk, a block and a page; and the maximum that a figure decodes.
inline constexpr int offload_chunk = 64, max_prompt = 16384, max_generated = 1024;

/// A model, its tier and the scheduler's profile of both.
struct OffloadBench {
  std::unique_ptr<Transformer> model;
  std::string model_name;  // "random-weight OPT", or its folder's
  std::unique_ptr<StorageTier> tier;
  std::unique_ptr<BufferLender> buffers;
  std::vector<std::int32_t> prompt;
  double bandwidth = 0;  // throttled
  RecomputeProfile profile;
};

struct OffloadBenchOptions {
  int hidden = 0;        // 0: the command's
  bool llama = false;    // else OPT
  bool decodes = true;   // else no token is generated
  double bandwidth = 0;  // of the tier; 0: where loading a token takes as long as recomputing it
};
/// On the model of --model, else on random weights. rejected_input: that model's layer inputs are no smaller than its
/// keys and values; usage: prompt and answer exceed its limit.
Expected<std::unique_ptr<OffloadBench>> open_bench(const FigureArguments& arguments,
                                                   const OffloadBenchOptions& options = {});

/// Decodes `generated` tokens after the first `prompt` ones, for a batch of `batch` sequences; one cell of the
/// progress.
Expected<std::vector<OffloadedRun>> decode(const FigureArguments& arguments, OffloadBench& bench, int prompt,
                                           int generated, const OffloadStudyOptions& options = {}, int batch = 1);

/// With the settings that all of them share. batch: in text form.
FigureResult begin_offload(const FigureArguments& arguments, const OffloadBench& bench, const Json& batch = 1);

std::string percent(double share);
/// "12 - 30 %", or a single number.
std::string range_of(const std::vector<double>& shares);

/// kvpr/fig9 and kvpr/table2: other traffic on the link besides keys, values and inputs in plain form.
Expected<FigureResult> compression_figure(const FigureArguments& arguments);
Expected<FigureResult> streamed_weights_figure(const FigureArguments& arguments);
/// kvpr/fig6, kvpr/fig13 and kvpr/table5: tokens per second of a batch.
Expected<FigureResult> batch_figure(const FigureArguments& arguments);
Expected<FigureResult> llama_figure(const FigureArguments& arguments);
Expected<FigureResult> slower_machine_figure(const FigureArguments& arguments);
/// kvpr/context-load: a prompt's cache loaded as a whole.
Expected<FigureResult> context_load_figure(const FigureArguments& arguments);
/// kvpr/fig3: timelines.
Expected<FigureResult> time_line_figure(const FigureArguments& arguments);

}  // namespace kvantage::inline figures
