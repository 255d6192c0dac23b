// KVPR, table 1: loading a layer's KV cache versus recomputing it.
#include <memory>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/bandwidths.h"
#include "core/experiments/figures/kvpr/claim_limits.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// A width of table 1: one value a block.
struct TransferCell {
  int hidden;
  std::unique_ptr<OffloadBench> bench;
  std::vector<double> link_ms, recompute_ms, rest_ms;

  double bytes(int tokens) const { return recompute_shape(*bench->model).kv_bytes_per_token() * tokens; }
};

Expected<std::vector<TransferCell>> measure_transfers(const FigureArguments& arguments) {
  std::vector<TransferCell> cells;
  for (const int hidden : {1024, 512, 256}) {  // the widest shapes the link for all
    const double bandwidth = cells.empty() ? 0 : cells.front().bench->bandwidth;
    KV_ASSIGN(auto bench, open_bench(arguments, {.hidden = hidden, .bandwidth = bandwidth}));
    cells.push_back({hidden, std::move(bench), {}, {}, {}});
  }
  arguments.lines->expect_cells(static_cast<std::size_t>(arguments.blocks) * cells.size());
  const auto measure = [&](std::size_t c, int) -> Expected<ExperimentRunner::Keep> {
    TransferCell& cell = cells[c];
    if (arguments.host->interrupted()) return fail(ErrorCode::cancelled, "interrupted");
    arguments.lines->begin_cell("hidden " + std::to_string(cell.hidden));
    KV_ASSIGN(const auto measured, profile_bench(arguments, *cell.bench));
    return [&arguments, &cell, profile = measured]() -> Status {
      cell.link_ms.push_back(
          1e3 * (profile.link.latency_seconds + cell.bytes(arguments.context_tokens) / profile.link.bytes_per_second));
      cell.rest_ms.push_back(1e3 * profile.rest_seconds);
      cell.recompute_ms.push_back(
          1e3 * (profile.recompute.fixed_seconds + profile.recompute.seconds_per_token * arguments.context_tokens));
      arguments.lines->end_cell();
      return {};
    };
  };
  KV_TRY(arguments.host->runner().run_blocks(arguments.blocks, cells.size(), arguments.seed, measure));
  return cells;
}

/// ratios: of the cells, the narrowest first. The paper's widths are other ones, its ratio is the same at all of them.
FigureTable ratio_table(const std::vector<TransferCell>& cells, const std::vector<MeasuredSpan>& ratios) {
  FigureTable table{"Transfer over recomputation", {"hidden", "link / recompute", "low", "high"}, {}};
  constexpr double paper_ratio = 15.6 / 0.3509;
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "hidden",
                          .y = {"link / recompute"},
                          .y_title = "link time / recompute time",
                          .published = {{"paper: A100, PCIe 4.0 x16", nullptr, paper_ratio, paper_ratio}}};
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    std::vector<Json> row{cells[cells.size() - 1 - r].hidden};
    add_interval_cells(row, ratios[r]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Expected<FigureResult> transfer_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(const auto cells, measure_transfers(arguments));
  FigureResult result = begin_offload(figure, arguments, *cells.front().bench);
  FigureTable table{"A layer of a decode step",
                    {"hidden", "keys and values MB", "link ms", "recompute ms", "link / recompute", "low", "high",
                     "rest of a layer ms"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "hidden",
                          .y = {"link ms", "recompute ms"},
                          .y_title = "time of a layer, ms"};
  std::vector<MeasuredSpan> ratios;
  for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
    ratios.push_back(measured_ratio(cell->link_ms, cell->recompute_ms));
    std::vector<Json> row{cell->hidden, cell->bytes(arguments.context_tokens) / 1e6, mean_of(cell->link_ms),
                          mean_of(cell->recompute_ms)};
    add_interval_cells(row, ratios.back());
    row.emplace_back(mean_of(cell->rest_ms));
    table.rows.push_back(std::move(row));
  }
  result.tables = {std::move(table),
                   ratio_table(cells, ratios),
                   {"Paper: A100, PCIe 4.0 x16",
                    {"hidden", "keys and values MB", "link ms", "recompute ms", "link / recompute"},
                    {{4096, 512, 15.6, 0.3509, 15.6 / 0.3509},
                     {5120, 640, 19.5, 0.4388, 19.5 / 0.4388},
                     {7168, 896, 27.3, 0.6143, 27.3 / 0.6143}}}};
  add_claim(result, "kvpr/transfer-over-compute", ratios, true);
  KV_ASSIGN(const auto bandwidths, parse_bandwidths(arguments.bandwidth.list));
  result.measured.back().withheld = transfer_withheld(bandwidths.front());
  result.measured.back().at = "hidden 256 - 1024, " + std::to_string(arguments.context_tokens) + " tokens, batch 1";
  const MeasuredSpan all = span_of(ratios);
  result.time_findings = {"transfer takes " + short_number(all.low) + " - " + short_number(all.high) +
                          " times as long as recomputing" +
                          (all.low > 1 ? ": the processor stalls" : ": the processor does not stall at every width")};
  return result;
}

}  // namespace

const Experiment& kvpr_table1() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/table1",
          .paper = "kvpr",
          .title = "loading a layer's KV cache versus recomputing it",
          .does =
              std::string("Widths 256, 512 and 1,024: time to transfer a layer's keys and values, time to recompute "
                          "them, and the rest of a layer of a decode step, its MLP included. The bandwidth is that of "
                          "the widest. The claim needs one in MB/s: a multiple of break-even sets the ratio.") +
              on_swept_opt,
          .expected = "Transfer takes longer than recomputing, and both grow with the width: the processor stalls.",
          .published = "A100, PCIe 4.0: hidden 4,096 (512 MB) 15.6 ms to transfer and 0.3509 ms to compute keys and "
                       "values; 5,120 (640 MB) 19.5 and 0.4388; 7,168 (896 MB) 27.3 and 0.6143: 44 times as long",
          .settings = with_swept_bandwidth(length_settings("1024", "8")),
          .quick = {{"--context-tokens", "128"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      transfer_figure, given_place);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
