// Figures of KVPR: a random-weight model decodes from a tier throttled to the range where partial recomputation
// matters.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/blocks.h"
#include "core/experiments/figures/offload_bench.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

struct PaperRow {
  int prompt, generated;
  double accelerate_seconds, kvpr_seconds;
};

/// Decode latency at batch 64 (its tables 3 and 4).
FigureTable paper_table(const char* model, std::initializer_list<PaperRow> rows) {
  FigureTable table{std::string("Paper: ") + model + ", batch 64",
                    {"prompt tokens", "generated", "Accelerate s", "KVPR s", "time saved %"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "prompt tokens",
                          .y = {"Accelerate s", "KVPR s"},
                          .y_title = "s",
                          .by = {"generated"}};
  for (const PaperRow& row : rows)
    table.rows.push_back({row.prompt, row.generated, row.accelerate_seconds, row.kvpr_seconds,
                          100 * (1 - row.kvpr_seconds / row.accelerate_seconds)});
  return table;
}

/// The paper's lengths at the places of ours: a quarter, half and all of the prompt, each with a quarter and all of the
/// generated tokens.
constexpr std::array paper_lengths{"128-32", "128-128", "256-32", "256-128", "512-32", "512-128"};

std::vector<OffloadCell> latency_cells(const FigureArguments& arguments) {
  std::vector<OffloadCell> cells;
  for (const int part : {4, 2, 1})
    for (const int of_generated : {4, 1})
      for (const SplitMode mode : {SplitMode::load_only, SplitMode::solved})
        cells.push_back({std::max(offload_chunk, arguments.context_tokens / part),
                         std::max(1, arguments.answer_tokens / of_generated), 1, mode});
  return cells;
}

/// Of latency_cells().
FigureTable latency_table(const OffloadBench& bench, const std::vector<MeasuredCell>& cells) {
  FigureTable table{
      "Decode latency",
      {"prompt tokens", "generated", "offloaded MB", "load only s", "load only tokens/s", "low", "high", "split s",
       "split tokens/s", "low", "high", "time saved %", "low", "high", "predicted split s", "prediction error %"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "prompt tokens",
                          .y = {"load only tokens/s", "split tokens/s"},
                          .y_title = "tokens/s",
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
  std::vector<MeasuredSpan> ratios, longer;
  for (std::size_t length = 0; length < paper_lengths.size(); ++length) {
    const std::size_t c = 2 * length;
    for (const char* table : {"kvpr/table-3-", "kvpr/table-4-"})
      add_claim(result, std::string(table) + paper_lengths[length], saved[length], true);
    ratios.push_back(time_ratio(cells[c + 1], cells[c]));
    if (length % 2 == 1)
      longer.push_back(
          measured_ratio(latency_ratios(cells[c - 2], cells[c - 1]), latency_ratios(cells[c], cells[c + 1])));
  }
  add_claim(result, "kvpr/latency-128-128-6.7b", saved[1], true);
  add_claim(result, "kvpr/latency-up-to", largest_of(saved), true);
  add_claim(result, "kvpr/latency-vs-accelerate", ratios, true);
  add_claim(result, "kvpr/latency-longer-generation", longer, true);
}

Expected<FigureResult> latency_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  KV_ASSIGN(const auto cells, measure_cells(arguments, *bench, latency_cells(arguments)));
  std::vector<MeasuredSpan> saved;
  std::vector<double> off;
  for (std::size_t c = 0; c + 1 < cells.size(); c += 2) {
    const auto errors = cells[c + 1].prediction_errors();
    saved.push_back(time_saved(cells[c + 1], cells[c]));
    off.insert(off.end(), errors.begin(), errors.end());
  }
  add_latency_claims(cells, saved, result);
  result.tables = {latency_table(*bench, cells),
                   paper_table("OPT-6.7B (table 3)", {{128, 32, 8.905, 6.651},
                                                      {128, 128, 71.327, 45.766},
                                                      {256, 32, 26.825, 19.138},
                                                      {256, 128, 88.354, 61.597},
                                                      {512, 32, 24.390, 20.349},
                                                      {512, 128, 110.277, 93.932}}),
                   paper_table("OPT-13B (table 4)", {{128, 32, 11.409, 9.148},
                                                     {128, 128, 73.896, 66.119},
                                                     {256, 32, 19.381, 16.654},
                                                     {256, 128, 104.115, 88.492},
                                                     {512, 32, 35.066, 29.215},
                                                     {512, 128, 168.155, 138.377}})};
  result.time_findings = {
      "the split takes " + range_of(saved) + " less time than loading alone",
      "the scheduler's prediction of the split has a median error of " + percent(percentile(std::move(off), 0.5))};
  result.findings = {"both variants gave the same tokens"};
  return result;
}

/// Of the whole prompt, loading alone first.
std::vector<OffloadCell> both_ways(const FigureArguments& arguments) {
  return {{arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::load_only},
          {arguments.context_tokens, arguments.answer_tokens, 1, SplitMode::solved}};
}

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

Expected<FigureResult> breakdown_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  const std::vector<OffloadCell> cells = both_ways(arguments);
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
  result.findings = {"both variants gave the same tokens"};
  return result;
}

/// A step of the generation: one value a block.
struct SplitStep {
  int streamed = 0;
  std::vector<double> recomputed, predicted_ms, measured_ms, load_ms;
};

FigureTable split_table(const std::vector<SplitStep>& steps) {
  FigureTable table{"The split at each generated token",
                    {"generated token", "tokens offloaded", "recomputed", "low", "high", "predicted ms", "measured ms",
                     "low", "high", "load only ms"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "generated token",
                          .y = {"recomputed", "tokens offloaded"},
                          .y_title = "tokens"};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    std::vector<Json> row{s + 2, steps[s].streamed};
    add_interval_cells(row, measured_mean(steps[s].recomputed));
    row.emplace_back(mean_of(steps[s].predicted_ms));
    add_interval_cells(row, measured_mean(steps[s].measured_ms));
    row.emplace_back(mean_of(steps[s].load_ms));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Expected<FigureResult> split_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  const std::vector<OffloadCell> cells = both_ways(arguments);
  std::vector<SplitStep> steps(static_cast<std::size_t>(arguments.answer_tokens));
  std::vector<double> off, all_recomputed, change;
  KV_TRY(measure_cells(arguments, *bench, cells, [&](std::size_t, const OffloadedRun& run) {
    for (std::size_t s = 0; s < run.steps.size(); ++s) {
      const OffloadedStep& step = run.steps[s];
      if (run.mode == SplitMode::load_only) {
        steps[s].load_ms.push_back(1e3 * step.seconds);
        continue;
      }
      steps[s].streamed = step.streamed_tokens;
      steps[s].recomputed.push_back(step.recomputed_tokens);
      steps[s].predicted_ms.push_back(1e3 * step.predicted_seconds);
      steps[s].measured_ms.push_back(1e3 * step.seconds);
      all_recomputed.push_back(step.recomputed_tokens);
      off.push_back(std::abs(step.seconds / step.predicted_seconds - 1));
    }
    if (run.mode == SplitMode::solved)
      change.push_back(run.steps.back().recomputed_tokens - run.steps.front().recomputed_tokens);
  }));
  result.tables = {split_table(steps)};
  add_claim(result, "kvpr/split-32nd", measured_mean(change), true);
  const auto [least, most] = std::ranges::minmax(all_recomputed);
  result.time_findings = {
      "between " + short_number(least) + " and " + short_number(most) + " of " + std::to_string(steps.back().streamed) +
          " offloaded tokens are recomputed, from " + short_number(mean_of(steps.front().recomputed)) +
          " at the first to " + short_number(mean_of(steps.back().recomputed)) +
          " at the last, averaged over the blocks",
      "predicted versus measured: median error of the steps " + percent(percentile(std::move(off), 0.5))};
  result.findings = {"both variants gave the same tokens"};
  return result;
}

/// A width of table 1: one value a block.
struct TransferCell {
  int hidden;
  std::unique_ptr<OffloadBench> bench;
  std::vector<double> link_ms, compute_ms, recompute_ms;

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
  const auto measure = [&](std::size_t c, int) -> Status {
    TransferCell& cell = cells[c];
    if (arguments.host->interrupted()) return fail(ErrorCode::cancelled, "interrupted");
    arguments.lines->begin_cell("hidden " + std::to_string(cell.hidden));
    KV_ASSIGN(const auto profile, profile_bench(arguments, *cell.bench));
    cell.link_ms.push_back(
        1e3 * (profile.link.latency_seconds + cell.bytes(arguments.context_tokens) / profile.link.bytes_per_second));
    cell.compute_ms.push_back(1e3 * profile.rest_seconds);
    cell.recompute_ms.push_back(
        1e3 * (profile.recompute.fixed_seconds + profile.recompute.seconds_per_token * arguments.context_tokens));
    arguments.lines->end_cell();
    return {};
  };
  KV_TRY(run_blocks(arguments.blocks, cells.size(), arguments.seed, measure));
  return cells;
}

Expected<FigureResult> transfer_figure(const FigureArguments& arguments) {
  KV_ASSIGN(const auto cells, measure_transfers(arguments));
  FigureResult result = begin_offload(arguments, *cells.front().bench);
  FigureTable table{
      "A layer of a decode step",
      {"hidden", "keys and values MB", "link ms", "recompute ms", "compute ms", "link / compute", "low", "high"},
      {}};
  std::vector<MeasuredSpan> ratios;
  for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
    ratios.push_back(measured_ratio(cell->link_ms, cell->compute_ms));
    std::vector<Json> row{cell->hidden, cell->bytes(arguments.context_tokens) / 1e6, mean_of(cell->link_ms),
                          mean_of(cell->recompute_ms), mean_of(cell->compute_ms)};
    add_interval_cells(row, ratios.back());
    table.rows.push_back(std::move(row));
  }
  result.tables = {std::move(table),
                   {"Paper: A100, PCIe 4.0 x16",
                    {"hidden", "keys and values MB", "link ms", "compute ms", "link / compute"},
                    {{4096, 512, 15.6, 0.3509, 15.6 / 0.3509},
                     {5120, 640, 19.5, 0.4388, 19.5 / 0.4388},
                     {7168, 896, 27.3, 0.6143, 27.3 / 0.6143}}}};
  add_claim(result, "kvpr/transfer-over-compute", ratios, true);
  const MeasuredSpan all = span_of(ratios);
  result.time_findings = {"transfer takes " + short_number(all.low) + " - " + short_number(all.high) +
                          " times as long as compute" +
                          (all.low > 1 ? ": the processor stalls" : ": the processor does not stall at every width")};
  return result;
}

}  // namespace

bool is_offload_figure(const std::string& figure) { return figure.starts_with("kvpr/"); }

Status check_offload(const FigureArguments& arguments) {
  if (arguments.context_tokens > max_prompt)
    return fail(ErrorCode::usage, "--context-tokens: " + std::to_string(arguments.context_tokens) +
                                      " exceeds the maximum; give at most " + std::to_string(max_prompt));
  if (arguments.answer_tokens > max_generated)
    return fail(ErrorCode::usage, "--answer-tokens: " + std::to_string(arguments.answer_tokens) +
                                      " exceeds the maximum; give at most " + std::to_string(max_generated));
  if (arguments.bandwidth != 0 && !(arguments.bandwidth >= 1))  // nor is it no number
    return fail(ErrorCode::usage, "--bandwidth: " + short_number(arguments.bandwidth) +
                                      " is less than 1 MB/s; give more, or 0 for where loading a token takes as long "
                                      "as recomputing it");
  if (arguments.width % 64 != 0)
    return fail(ErrorCode::usage, "--width: " + std::to_string(arguments.width) +
                                      " is not a multiple of 64, a head's width; give one, e.g. 1024");
  return {};
}

Status reproduce_offload(const FigureArguments& arguments) {
  struct Maker {
    const char* figure;
    Expected<FigureResult> (*make)(const FigureArguments&);
  };
  constexpr std::array makers{Maker{"kvpr/table1", transfer_figure},
                              Maker{"kvpr/table2", streamed_weights_figure},
                              Maker{"kvpr/table5", slower_machine_figure},
                              Maker{"kvpr/fig3", time_line_figure},
                              Maker{"kvpr/fig6", batch_figure},
                              Maker{"kvpr/fig7", latency_figure},
                              Maker{"kvpr/fig9", compression_figure},
                              Maker{"kvpr/fig10", breakdown_figure},
                              Maker{"kvpr/fig12", split_figure},
                              Maker{"kvpr/fig13", llama_figure},
                              Maker{"kvpr/context-load", context_load_figure}};
  const auto maker = std::ranges::find_if(makers, [&](const Maker& one) { return arguments.figure == one.figure; });
  if (maker == makers.end()) return fail(ErrorCode::internal, arguments.figure + ": not implemented; report it");
  KV_ASSIGN(const auto result, maker->make(arguments));
  arguments.host->show(result, arguments.json);
  return {};
}

}  // namespace kvantage::inline figures
