// KVPR, section 4.2 and figure 6: decode throughput against length and batch, column by column.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// Of loading alone and the split: one value a block.
std::vector<double> ratios_of(std::span<const MeasuredCell> both) {
  const auto load = both[0].each(&OffloadSums::seconds), split = both[1].each(&OffloadSums::seconds);
  std::vector<double> ratios;
  for (std::size_t block = 0; block < load.size(); ++block) ratios.push_back(load[block] / split[block]);
  return ratios;
}

/// `cells`: first those of the lengths, `of_lengths` of them.
void add_batch_claims(const LengthThroughput& over_lengths, const LengthThroughput& over_batches,
                      std::span<const MeasuredCell> cells, std::size_t of_lengths, FigureResult& result) {
  const auto lengths = cells.first(of_lengths), batches = cells.subspan(of_lengths);
  std::vector<MeasuredSpan> everywhere = over_lengths.gains;
  everywhere.insert(everywhere.end(), over_batches.gains.begin(), over_batches.gains.end());
  add_claim_of(cells, result, "kvpr/throughput-up-to", {largest_of(everywhere)});
  for (const char* claim : {"kvpr/throughput-6.7b", "kvpr/throughput-13b", "kvpr/throughput-30b"})
    add_claim_of(lengths, result, claim, {largest_of(over_lengths.gains)});
  add_claim_of(lengths, result, "kvpr/throughput-all-lengths", over_lengths.ratios);
  add_claim_of(batches, result, "kvpr/throughput-all-batches", over_batches.ratios);
  if (batches.size() > 2)  // the largest batch's ratio over a single sequence's
    add_claim_of(batches, result, "kvpr/throughput-grows-with-cache",
                 {measured_ratio(ratios_of(batches.last(2)), ratios_of(batches.first(2)))});
}

Expected<FigureResult> batch_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  const int most = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.batch = most}));
  const int middle = std::max(1, most / 2);
  FigureResult result = begin_offload(figure, arguments, *bench, "1 to " + std::to_string(most));
  std::vector<OffloadCell> cells = both_ways(lengths_of(arguments, middle), column_by_column());
  const std::size_t of_lengths = cells.size();
  std::vector<Length> batches;
  for (int batch = 1; batch <= most; batch = batch < most ? std::min(most, 2 * batch) : most + 1)
    batches.push_back({arguments.context_tokens, std::max(1, arguments.answer_tokens / 4), batch});
  const auto of_batches = both_ways(batches, column_by_column());
  cells.insert(cells.end(), of_batches.begin(), of_batches.end());
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  const std::span all(measured);
  LengthThroughput over_lengths =
      throughput_of("Decode throughput, " + std::to_string(middle) + " sequences column by column, weights streamed",
                    *bench, all.first(of_lengths));
  LengthThroughput over_batches = throughput_of("Decode throughput against the batch", *bench, all.subspan(of_lengths));
  add_batch_claims(over_lengths, over_batches, all, of_lengths, result);
  result.time_findings = {"over lengths " + compared(over_lengths.gains, "loading alone"),
                          "over batches " + compared(over_batches.gains, "loading alone"),
                          "the largest batch gains " + percent(over_batches.gains.back().low) + ", a single sequence " +
                              percent(over_batches.gains.front().low),
                          predictions(over_batches.off)};
  result.findings = {"both variants gave the same tokens",
                     "one shape is measured here: the same number is compared with the paper's for OPT-6.7B, 13B and "
                     "30B"};
  over_lengths.table.plot = plot_over_lengths();
  over_batches.table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                                       .x = "batch",
                                       .y = {"load only tokens/s", "split tokens/s"},
                                       .y_title = "tokens/s"};
  result.tables = {
      std::move(over_lengths.table),
      shares_table("Throughput gain over lengths", "throughput gain %", all.first(of_lengths), over_lengths.gains,
                   {{"paper: OPT-6.7B, up to", nullptr, 15.1, 15.1},
                    {"paper: OPT-13B, up to", nullptr, 46.2, 46.2},
                    {"paper: OPT-30B, up to", nullptr, 29.0, 29.0}}),
      std::move(over_batches.table)};
  return result;
}

}  // namespace

const Experiment& kvpr_fig6() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig6",
          .paper = "kvpr",
          .title = "decode throughput against length and batch, column by column",
          .does =
              std::string("A batch decodes column by column: each layer for all sequences before the next layer, with "
                          "every layer's matrices streamed once per step. Loading alone (FlexGen) versus the solved "
                          "split, over prompts of a quarter, half and all of the length with half as many sequences, "
                          "and over batches from one sequence to all with a quarter of the generated tokens.") +
              on_random_opt,
          .expected =
              "The split has higher throughput everywhere. Its gain grows with the batch, as keys and values then "
              "outweigh the matrices.",
          .published = "Up to 15.1, 46.2 and 29.0 % more tokens/s than FlexGen with OPT-6.7B, 13B and 30B; more with "
                       "larger batches (figure 6)",
          .settings = with_costly_bandwidth(batch_settings("1024", "128", "8", "512")),
          .quick = {{"--width", "128"},
                    {"--context-tokens", "192"},
                    {"--answer-tokens", "8"},
                    {"--blocks", "2"},
                    {"--max-batch", "3"}}},
      batch_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
