// KVPR, figure 7 and tables 3 and 4: decode latency and throughput against prompt and generation length.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline kvpr_figures {
namespace {

struct PaperRow {
  int prompt, generated;
  double accelerate_seconds, kvpr_seconds;
};

using PaperRows = std::array<PaperRow, 6>;

/// Decode latency at batch 64: table 3, OPT-6.7B, and table 4, OPT-13B.
constexpr PaperRows table_3{{{128, 32, 8.905, 6.651},
                             {128, 128, 71.327, 45.766},
                             {256, 32, 26.825, 19.138},
                             {256, 128, 88.354, 61.597},
                             {512, 32, 24.390, 20.349},
                             {512, 128, 110.277, 93.932}}},
    table_4{{{128, 32, 11.409, 9.148},
             {128, 128, 73.896, 66.119},
             {256, 32, 19.381, 16.654},
             {256, 128, 104.115, 88.492},
             {512, 32, 35.066, 29.215},
             {512, 128, 168.155, 138.377}}};

FigureTable paper_table(const char* model, const PaperRows& rows) {
  FigureTable table{std::string("Paper: ") + model + ", batch 64",
                    {"prompt tokens", "generated", "Accelerate s", "KVPR s", "time saved %"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "prompt tokens",
                          .y = {"Accelerate s", "KVPR s"},
                          .y_title = "decode latency, s",
                          .by = {"generated"}};
  for (const PaperRow& row : rows)
    table.rows.push_back({row.prompt, row.generated, row.accelerate_seconds, row.kvpr_seconds,
                          100 * (1 - row.kvpr_seconds / row.accelerate_seconds)});
  return table;
}

/// The paper's lengths at the places of ours: a quarter, half and all of the prompt, each with a quarter and all of the
/// generated tokens.
constexpr std::array paper_lengths{"128-32", "128-128", "256-32", "256-128", "512-32", "512-128"};

/// Of latency_cells().
FigureTable latency_table(const OffloadBench& bench, const std::vector<MeasuredCell>& cells) {
  FigureTable table{
      "Decode latency",
      {"prompt tokens", "generated", "offloaded MB", "load only s", "load only tokens/s", "low", "high", "split s",
       "split tokens/s", "low", "high", "time saved %", "low", "high", "predicted split s", "prediction error %"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "prompt tokens",
                          .y = {"load only s", "split s"},
                          .y_title = "decode latency, s",
                          .by = {"generated"}};
  const double token_bytes = recompute_shape(*bench.model).kv_bytes_per_token() * bench.model->config().layers;
  for (std::size_t c = 0; c + 1 < cells.size(); c += 2) {
    const MeasuredCell &load = cells[c], &split = cells[c + 1];
    const int prompt = load.cell.prompt, generated = load.cell.generated;
    std::vector<Json> row{prompt, generated, token_bytes * (prompt + generated) / 1e6};
    for (const MeasuredCell* cell : {&load, &split}) {
      row.emplace_back(cell->mean(&OffloadSums::seconds));
      add_interval_cells(row, measured_mean(cell->tokens_per_second()));
    }
    add_interval_cells(row, scaled(time_saved(split, load), 100));
    row.emplace_back(split.mean(&OffloadSums::predicted_seconds));
    row.emplace_back(100 * mean_of(split.prediction_errors()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// time of the split / time of loading alone, block by block.
std::vector<double> latency_ratios(const MeasuredCell& load, const MeasuredCell& split) {
  auto ratios = split.each(&OffloadSums::seconds);
  for (std::size_t block = 0; block < ratios.size(); ++block) ratios[block] /= load.blocks[block].seconds;
  return ratios;
}

/// Of latency_cells(). saved: one per length.
void add_latency_claims(const std::vector<MeasuredCell>& cells, const std::vector<MeasuredSpan>& saved,
                        FigureResult& result) {
  const std::span all(cells);
  std::vector<MeasuredSpan> ratios, longer;
  for (std::size_t length = 0; length < paper_lengths.size(); ++length) {
    const std::size_t c = 2 * length;
    for (const char* table : {"kvpr/table-3-", "kvpr/table-4-"})
      add_claim_of(all.subspan(c, 2), result, std::string(table) + paper_lengths[length], {saved[length]});
    ratios.push_back(time_ratio(cells[c + 1], cells[c]));
    if (length % 2 == 1)
      longer.push_back(
          measured_ratio(latency_ratios(cells[c - 2], cells[c - 1]), latency_ratios(cells[c], cells[c + 1])));
  }
  add_claim_of(all.subspan(2, 2), result, "kvpr/latency-128-128-6.7b", {saved[1]});
  add_claim_of(all, result, "kvpr/latency-up-to", {largest_of(saved)});
  add_claim_of(all, result, "kvpr/latency-vs-accelerate", ratios);
  add_claim_of(all, result, "kvpr/latency-longer-generation", longer);
}

/// Of both tables, at the places of our lengths.
std::vector<PublishedMark> published_savings(const std::vector<MeasuredCell>& cells) {
  std::vector<PublishedMark> marks;
  marks.reserve(2 * paper_lengths.size());
  for (const auto& [model, rows] : {std::pair{"paper: OPT-6.7B, ", &table_3}, {"paper: OPT-13B, ", &table_4}})
    for (std::size_t r = 0; r < rows->size(); ++r) {
      const PaperRow& row = (*rows)[r];
      const double saved = 100 * (1 - row.kvpr_seconds / row.accelerate_seconds);
      marks.push_back({model + std::to_string(row.generated) + " generated", cells[2 * r].cell.prompt, saved, saved});
    }
  return marks;
}

Expected<FigureResult> latency_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(figure, arguments, *bench);
  KV_ASSIGN(const auto cells, measure_cells(arguments, *bench, both_ways(lengths_of(arguments, 1), {})));
  std::vector<MeasuredSpan> saved;
  std::vector<double> off;
  for (std::size_t c = 0; c + 1 < cells.size(); c += 2) {
    const auto errors = cells[c + 1].prediction_errors();
    saved.push_back(time_saved(cells[c + 1], cells[c]));
    off.insert(off.end(), errors.begin(), errors.end());
  }
  add_latency_claims(cells, saved, result);
  result.tables = {latency_table(*bench, cells),
                   shares_table("Time saved by the split", "time saved %", cells, saved, published_savings(cells)),
                   paper_table("OPT-6.7B (table 3)", table_3), paper_table("OPT-13B (table 4)", table_4)};
  result.time_findings = {
      "the split takes " + range_of(saved) + " less time than loading alone",
      "the scheduler's prediction of the split has a median error of " + percent(percentile(std::move(off), 0.5))};
  result.findings = {"both variants gave the same tokens",
                     "one shape is measured here: the same number is compared with the paper's for OPT-6.7B (table 3) "
                     "and OPT-13B (table 4)"};
  return result;
}

}  // namespace

const Experiment& kvpr_fig7() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig7",
          .paper = "kvpr",
          .title = "decode latency and throughput against prompt and generation length",
          .does = std::string("Prompts of a quarter, half and all of the length, a quarter and all of the generated "
                              "tokens: loading alone (as Accelerate does) versus the solved split, one sequence at a "
                              "time, with the scheduler's predictions, next to the paper's tables 3 and 4.") +
                  on_swept_opt + " On the command line, --model selects another model.",
          .expected = "The split takes less time than loading alone at every length, with the same answers.",
          .published =
              "OPT-6.7B, batch 64: decode latency 14.8 - 35.8 % lower than Accelerate's (table 3); OPT-13B 10.5 "
              "- 19.8 % (table 4)",
          .settings = with_swept_bandwidth(offload_settings("512", "128")),
          .also = {"kvpr/table3", "kvpr/table4"},
          .more = {"--model"},
          .quick = {{"--width", "256"},
                    {"--context-tokens", "256"},
                    {"--answer-tokens", "8"},
                    {"--blocks", "2"},
                    {"--bandwidth", "1x"}}},
      latency_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
