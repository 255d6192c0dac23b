// Loading alone and the solved split over lengths of prompt and answer: the figures of throughput.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/experiments/figures/kvpr/offload_bench.h"

namespace kvantage::inline kvpr_figures {

/// Of the whole prompt and answer, one sequence, loading alone first.
std::vector<OffloadCell> whole_prompt(const FigureArguments& arguments);

struct Length {
  int prompt, generated, batch;
};
/// A quarter, half and all of the prompt, a quarter and all of the answer.
std::vector<Length> lengths_of(const FigureArguments& arguments, int batch);
/// Loading alone and the solved split at each length.
std::vector<OffloadCell> both_ways(const std::vector<Length>& lengths, const OffloadStudyOptions& options);
/// Each layer for all sequences before the next layer, with its weights streamed, W_K and W_V first.
OffloadStudyOptions column_by_column();
/// Sequences at most, from 1.
int batch_of(const FigureArguments& arguments);

struct LengthThroughput {
  FigureTable table;
  std::vector<MeasuredSpan> ratios, gains;  // the split's tokens/s over loading alone, and - 1; one per length
  std::vector<double> off;                  // of the predictions, of each block
};
/// Of cells as both_ways() makes them.
LengthThroughput throughput_of(std::string title, const OffloadBench& bench, std::span<const MeasuredCell> cells);
/// Bars of tokens/s over the prompt's length, for both lengths of the answer.
FigurePlot plot_over_lengths();

/// Shares, one per length of `cells` as both_ways() makes them, as bars in percent over the prompt's length. `column`
/// has the unit.
FigureTable shares_table(std::string title, const char* column, std::span<const MeasuredCell> cells,
                         const std::vector<MeasuredSpan>& shares, std::vector<PublishedMark> published = {});

/// The shape of cells, each number as a range where they differ: "prompt 128 - 512, 32 generated, batch 1".
std::string shape_text(std::span<const MeasuredCell> cells);
/// add_claim() of time, with shape_text() of the cells that it was measured in.
void add_claim_of(std::span<const MeasuredCell> cells, FigureResult& result, const std::string& claim,
                  const std::vector<MeasuredSpan>& all);

/// Findings.
std::string compared(const std::vector<MeasuredSpan>& gains, const std::string& with);
std::string predictions(const std::vector<double>& off);

}  // namespace kvantage::inline kvpr_figures
