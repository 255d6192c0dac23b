// KVPR, section 4.4 and figure 9: decoding with 4-bit keys and values.
#include <algorithm>
#include <span>

#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// Share of the tokens that equal the answer's, over all blocks.
double matching(const MeasuredCell& cell, const std::vector<std::int32_t>& answer) {
  std::vector<double> shares;
  for (const OffloadSums& block : cell.blocks) {
    int same = 0;
    for (std::size_t t = 0; t < answer.size(); ++t) same += block.answers[t] == answer[t];
    shares.push_back(same / static_cast<double>(answer.size()));
  }
  return mean_of(shares);
}

FigureTable compression_table(const std::vector<MeasuredCell>& cells) {
  FigureTable table{"Decoding with keys and values unquantized and in 4 bits",
                    {"keys and values", "variant", "ms/token", "low", "high", "tokens/s", "keys and values MB/step",
                     "layer inputs MB/step", "on the tier MB", "matching tokens %"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "keys and values", .y = {"tokens/s"}, .by = {"variant"}};
  for (const MeasuredCell& cell : cells) {
    std::vector<Json> row{cell.cell.options.codec ? "4 bits" : "unquantized", cell.way()};
    add_interval_cells(row, cell.step_ms());
    row.emplace_back(mean_of(cell.tokens_per_second()));
    for (const auto sum : {&OffloadSums::kv_bytes, &OffloadSums::input_bytes})
      row.emplace_back(cell.mean_per_step(sum) / 1e6);
    row.emplace_back(cell.mean(&OffloadSums::offloaded_bytes) / 1e6);
    row.emplace_back(100 * matching(cell, cells.front().blocks.front().answers));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The one that takes the least time.
const MeasuredCell& fastest(std::span<const MeasuredCell> cells) {
  return *std::ranges::min_element(cells, {},
                                   [](const MeasuredCell& cell) { return cell.mean(&OffloadSums::seconds); });
}

Expected<FigureResult> compression_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(figure, arguments, *bench);
  KV_ASSIGN(const auto codec, parse_codec("kivi4(residual=0)"));
  KV_ASSIGN(const auto rows, RowCodec::make(bench->model->kv_shape(), codec));
  result.settings.push_back({"codec", codec->text()});
  // A split with 4 bits only where layer inputs are smaller than the quantized rows.
  const Status pays =
      check_recompute_pays(RecomputeSchedule::column, recompute_shape(*bench->model, rows, offload_chunk));
  OffloadStudyOptions in_codes;
  in_codes.codec = codec;
  std::vector<OffloadCell> cells;
  for (const SplitMode mode : {SplitMode::load_only, SplitMode::solved})
    cells.push_back({arguments.context_tokens, arguments.answer_tokens, 1, mode});
  const std::size_t unquantized = cells.size();
  cells.push_back({arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::load_only, in_codes});
  if (pays) cells.push_back({arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::solved, in_codes});
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  result.tables = {compression_table(measured)};
  result.findings = {
      "keys and values of a step take " +
      short_number(measured.front().mean(&OffloadSums::kv_bytes) / measured[unquantized].mean(&OffloadSums::kv_bytes)) +
      " times fewer bytes in 4 bits"};
  const std::span all(measured);
  const MeasuredCell &plain = fastest(all.first(unquantized)), &quantized = fastest(all.subspan(unquantized));
  add_claim(result, "kvpr/compression-throughput", time_ratio(plain, quantized), true);
  result.time_findings = {"the better 4-bit variant takes " + percent(time_saved(quantized, plain).low) +
                          " less time than the better unquantized one"};
  if (!pays) result.findings.push_back("no split with 4 bits: " + pays.error().message);
  return result;
}

}  // namespace

const Experiment& kvpr_fig9() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig9",
          .paper = "kvpr",
          .title = "decoding with 4-bit keys and values",
          .does =
              std::string("Loading alone and the solved split, both unquantized, and loading alone with keys and "
                          "values in 4 bits in groups of 32 (kivi4 without a residual): time per token, bytes "
                          "transferred, share of unchanged greedy tokens. Layer inputs are not quantized; where they "
                          "are larger than the quantized keys and values, the scheduler refuses a split.") +
              on_random_opt,
          .expected =
              "4 bits transfer about a quarter of the bytes and take less time than either unquantized variant.",
          .published = "OPT-13B: decoding throughput rises with compression enabled (figure 9, no numbers given)",
          .settings = offload_settings("1024", "16"),
          .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      compression_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
