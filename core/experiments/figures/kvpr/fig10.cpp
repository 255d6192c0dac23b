// KVPR, figures 8 and 10: time breakdown of a decode step, loading alone and split.
#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// Shares of a step's time, one value a block. The link's are bytes over its bandwidth: it works while the processor
/// computes, so that the shares do not add up to 1.
struct StepShares {
  MeasuredSpan waiting, computing, keys_values, inputs;

  StepShares(const MeasuredCell& cell, double bandwidth)
      : waiting(measured_mean(cell.share_of_time(&OffloadSums::waited_seconds))),
        computing(scaled(waiting, -1, 1)),
        keys_values(scaled(measured_mean(cell.share_of_time(&OffloadSums::kv_bytes)), 1 / bandwidth)),
        inputs(scaled(measured_mean(cell.share_of_time(&OffloadSums::input_bytes)), 1 / bandwidth)) {}
};

FigureTable breakdown_table(const std::vector<MeasuredCell>& cells, const std::vector<StepShares>& shares) {
  FigureTable table{"A decode step",
                    {"variant", "ms/token", "low", "high", "waiting for the link %", "low", "high", "recomputing %",
                     "other %", "keys and values MB", "layer inputs MB", "keys and values / bandwidth, % of the time",
                     "low", "high", "layer inputs / bandwidth, % of the time", "low", "high", "processor computes %"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::bars,
                 .x = "variant",
                 .y = {"keys and values / bandwidth, % of the time", "layer inputs / bandwidth, % of the time",
                       "processor computes %"},
                 .y_title = "% of the time",
                 .published = {{"paper: keys and values / bandwidth, % of the time", cells.front().way(), 58, 58},
                               {"paper: keys and values / bandwidth, % of the time", cells.back().way(), 38, 38},
                               {"paper: layer inputs / bandwidth, % of the time", cells.back().way(), 8, 8},
                               {"paper: processor computes %", cells.front().way(), 2.3, 2.3},
                               {"paper: processor computes %", cells.back().way(), 13.3, 13.3}}};
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const MeasuredCell& cell = cells[c];
    const double recomputing = mean_of(cell.share_of_time(&OffloadSums::recompute_seconds));
    std::vector<Json> row{cell.way()};
    add_interval_cells(row, cell.step_ms());
    add_interval_cells(row, scaled(shares[c].waiting, 100));
    row.emplace_back(100 * recomputing);
    row.emplace_back(100 * (shares[c].computing.low - recomputing));
    for (const auto sum : {&OffloadSums::kv_bytes, &OffloadSums::input_bytes})
      row.emplace_back(cell.mean_per_step(sum) / 1e6);
    add_interval_cells(row, scaled(shares[c].keys_values, 100));
    add_interval_cells(row, scaled(shares[c].inputs, 100));
    row.emplace_back(100 * shares[c].computing.low);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Expected<FigureResult> breakdown_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(figure, arguments, *bench);
  const std::vector<OffloadCell> cells = whole_prompt(arguments);
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  std::vector<StepShares> shares;
  shares.reserve(measured.size());
  for (const MeasuredCell& cell : measured) shares.emplace_back(cell, bench->bandwidth);
  const StepShares &load = shares.front(), &split = shares.back();
  add_claim(result, "kvpr/gpu-utilization-flexgen", load.computing, true);
  add_claim(result, "kvpr/gpu-utilization-kvpr", split.computing, true);
  add_claim(result, "kvpr/gpu-compute-flexgen", load.computing, true);
  add_claim(result, "kvpr/gpu-compute-kvpr", split.computing, true);
  add_claim(result, "kvpr/kv-transfer-flexgen", load.keys_values, true);
  add_claim(result, "kvpr/kv-transfer-kvpr", split.keys_values, true);
  add_claim(result, "kvpr/activation-transfer", split.inputs, true);
  result.tables = {breakdown_table(measured, shares),
                   {"Paper: an MHA block (figure 10), GPU utilization (figure 8)",
                    {"variant", "KV transfer %", "layer inputs %", "GPU computation %", "GPU utilization %"},
                    {{"FlexGen", 58, nullptr, 2.3, 85}, {"KVPR", 38, 8, 13.3, 99}}}};
  const bool recomputed = measured.back().mean(&OffloadSums::recompute_seconds) > 0;
  result.time_findings = {(recomputed ? std::string() : std::string("recomputing did not pay off at this length; ")) +
                              "the share of a step spent waiting for the link changes from " +
                              percent(load.waiting.low) + " to " + percent(split.waiting.low),
                          "the processor is busy for " + percent(load.computing.low) +
                              " of the time loading alone and for " + percent(split.computing.low) + " with the split"};
  result.findings = {"both variants gave the same tokens",
                     "one busy share is measured here: the same number is compared with the paper's GPU utilization "
                     "(figure 8) and GPU computation (figure 10)"};
  return result;
}

}  // namespace

const Experiment& kvpr_fig10() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig10",
          .paper = "kvpr",
          .title = "time breakdown of a decode step, loading alone and split",
          .does =
              std::string(
                  "Shares of a step: waiting for the link, recomputing keys and values, everything else; bytes of keys "
                  "and values and of layer inputs, and the share of the time that they take at the link's bandwidth; "
                  "share of the time that the processor is busy (its figure 8).") +
              on_random_opt,
          .expected = "The split transfers less and the processor stalls less: it recomputes while bytes load.",
          .published =
              "KV transfer 58 -> 38 % of the run time, layer inputs 8 %, GPU computation 2.3 -> 13.3 % (figure "
              "10); GPU utilization 85 -> 99 % (figure 8)",
          .settings = offload_settings("1024", "16"),
          .also = {"kvpr/fig8"},
          .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      breakdown_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
