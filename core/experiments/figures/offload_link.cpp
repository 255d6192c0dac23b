// Figures of KVPR with other traffic on the link: 4-bit keys and values (section 4.4), weights (section 4.5).
#include <algorithm>
#include <array>

#include "core/base/statistics.h"
#include "core/experiments/figures/offload_bench.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
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

struct Way {
  const char* name;
  SplitMode mode;
  WeightLoading weights;
};
constexpr std::array ways{Way{"load only (FlexGen)", SplitMode::load_only, WeightLoading::whole},
                          Way{"split after all weights", SplitMode::solved, WeightLoading::whole},
                          Way{"split after W_K and W_V", SplitMode::solved, WeightLoading::keys_values_first}};
/// The paper's.
constexpr std::array batches{1, 2, 4, 8, 16, 32};

FigureTable streamed_table(const OffloadBench& bench, const std::vector<MeasuredCell>& cells) {
  FigureTable table{
      "Decode throughput with weights streamed each step, column by column",
      {"batch", "keys and values MB", "variant", "tokens/s", "low", "high", "ms/step", "predicted ms", "recomputed",
       "waiting for the link %", "weights MB/step", "keys and values MB/step", "layer inputs MB/step"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "batch", .y = {"tokens/s"}, .by = {"variant"}};
  const double token_bytes = recompute_shape(*bench.model).kv_bytes_per_token() * bench.model->config().layers;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const MeasuredCell& cell = cells[c];
    std::vector<Json> row{cell.cell.batch, token_bytes * cell.cell.batch * cell.cell.prompt / 1e6,
                          ways[c % ways.size()].name};
    add_interval_cells(row, measured_mean(cell.tokens_per_second()));
    for (const auto sum : {&OffloadSums::seconds, &OffloadSums::predicted_seconds})
      row.emplace_back(1e3 * cell.mean_per_step(sum));
    row.emplace_back(cell.mean(&OffloadSums::recomputed_tokens));
    row.emplace_back(100 * mean_of(cell.share_of_time(&OffloadSums::waited_seconds)));
    for (const auto sum : {&OffloadSums::weight_bytes, &OffloadSums::kv_bytes, &OffloadSums::input_bytes})
      row.emplace_back(cell.mean_per_step(sum) / 1e6);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Throughput of both splits over that of loading alone.
struct StreamedRatios {
  std::vector<MeasuredSpan> after_all, after_keys_values;  // one per batch
};

StreamedRatios streamed_ratios(const std::vector<MeasuredCell>& cells) {
  StreamedRatios ratios;
  for (std::size_t c = 0; c + 2 < cells.size(); c += ways.size()) {
    ratios.after_all.push_back(time_ratio(cells[c], cells[c + 1]));
    ratios.after_keys_values.push_back(time_ratio(cells[c], cells[c + 2]));
  }
  return ratios;
}

FigureTable ratio_table(const StreamedRatios& ratios) {
  FigureTable table{"Throughput of the split over loading alone",
                    {"batch", "after all weights", "low", "high", "after W_K and W_V", "low", "high"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "batch",
                          .y = {"after all weights", "after W_K and W_V"},
                          .y_title = "ratio"};
  for (std::size_t b = 0; b < batches.size(); ++b) {
    std::vector<Json> row{batches[b]};
    add_interval_cells(row, ratios.after_all[b]);
    add_interval_cells(row, ratios.after_keys_values[b]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_streamed_claims(const StreamedRatios& ratios, FigureResult& result) {
  for (std::size_t b = 0; b < batches.size(); ++b)
    add_claim(result, "kvpr/table-2-batch-" + std::to_string(batches[b]), ratios.after_keys_values[b], true);
  for (const char* claim : {"kvpr/hiding-never-worse", "kvpr/hiding-never-worse-design"})
    add_claim(result, claim, ratios.after_keys_values, true);
  add_claim(result, "kvpr/flexgen-ahead-without-hiding", ratios.after_all.front(), true);
}

}  // namespace

Expected<FigureResult> compression_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
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

Expected<FigureResult> streamed_weights_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments, {.batch = batches.back()}));
  FigureResult result = begin_offload(arguments, *bench, "1 to " + std::to_string(batches.back()));
  std::vector<OffloadCell> cells;
  for (const int batch : batches)
    for (const Way& way : ways) {
      OffloadStudyOptions options;
      options.weights = way.weights;
      cells.push_back({arguments.context_tokens, arguments.answer_tokens, batch, way.mode, options});
    }
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  const StreamedRatios ratios = streamed_ratios(measured);
  add_streamed_claims(ratios, result);
  result.tables = {streamed_table(*bench, measured),
                   ratio_table(ratios),
                   {"Paper: OPT-6.7B, prompt 256, 64 generated, tokens/s",
                    {"batch", "keys and values MB", "FlexGen", "KVPR without hiding", "KVPR with hiding"},
                    {{1, 3, 1.761, 1.749, 1.774},
                     {2, 6, 3.488, 3.461, 3.586},
                     {4, 12, 6.646, 6.766, 6.696},
                     {8, 24, 12.826, 12.930, 12.986},
                     {16, 48, 23.795, 23.613, 24.557},
                     {32, 64, 41.210, 43.462, 43.945}}}};
  std::vector<MeasuredSpan> saved, hidden;
  std::vector<double> off;
  for (std::size_t c = 0; c < measured.size(); ++c) {
    const auto errors = measured[c].prediction_errors();
    off.insert(off.end(), errors.begin(), errors.end());
    if (c % ways.size() != 2) continue;
    saved.push_back(time_saved(measured[c], measured[c - 2]));
    hidden.push_back(time_saved(measured[c], measured[c - 1]));
  }
  result.time_findings = {
      "the split after W_K and W_V takes " + range_of(saved) + " less time than loading alone",
      "compared with the split after all weights it takes " + range_of(hidden) +
          " less time: both prefetch the next layer, which already hides what the paper's order hides",
      "predicted versus measured: median error " + percent(percentile(off, 0.5))};
  result.findings = {"all variants gave the same tokens"};
  return result;
}

}  // namespace kvantage::inline figures
