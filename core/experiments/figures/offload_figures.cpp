// Figures of KVPR: a random-weight model decodes from a tier throttled to the range where partial recomputation
// matters.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/statistics.h"
#include "core/experiments/figures/offload_bench.h"
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

Expected<FigureResult> latency_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  FigureTable table{"Decode latency",
                    {"prompt tokens", "generated", "offloaded MB", "load only s", "load only tokens/s", "split s",
                     "split tokens/s", "time saved %", "predicted split s", "prediction error %"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "prompt tokens",
                          .y = {"load only tokens/s", "split tokens/s"},
                          .y_title = "tokens/s",
                          .by = {"generated"}};
  std::vector<double> gains, off;
  arguments.lines->expect_cells(6);
  for (const int part : {4, 2, 1})
    for (const int of_generated : {4, 1}) {
      const int prompt = std::max(offload_chunk, arguments.context_tokens / part),
                generated = std::max(1, arguments.answer_tokens / of_generated);
      KV_ASSIGN(const auto runs, decode(arguments, *bench, prompt, generated));
      const double load = runs[0].seconds(), split = runs[1].seconds(), predicted = runs[1].predicted_seconds();
      gains.push_back(1 - split / load);
      off.push_back(std::abs(split / predicted - 1));
      const double megabytes = recompute_shape(*bench->model).kv_bytes_per_token() * bench->model->config().layers *
                               (prompt + generated) / 1e6;
      table.rows.push_back({prompt, generated, megabytes, load, generated / load, split, generated / split,
                            100 * gains.back(), predicted, 100 * off.back()});
    }
  result.tables = {std::move(table),
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
  const bool everywhere = std::ranges::min(gains) > 0;
  result.time_findings = {
      "the split takes " + range_of(gains) +
          " less time than loading alone (paper: 14.8 - 35.8 % with OPT-6.7B, 10.5 - 19.8 % with OPT-13B)" +
          (everywhere ? ": as in the paper" : ": not at every length, unlike in the paper"),
      "the scheduler's prediction of the split has a median error of " + percent(percentile(off, 0.5))};
  result.findings = {"both variants gave the same tokens"};
  return result;
}

Expected<FigureResult> breakdown_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  arguments.lines->expect_cells(1);
  KV_ASSIGN(const auto runs, decode(arguments, *bench, arguments.context_tokens, arguments.answer_tokens));
  FigureTable table{"A decode step",
                    {"variant", "ms/token", "waiting for the link %", "recomputing %", "other %", "keys and values MB",
                     "layer inputs MB", "processor computes %"},
                    {}};
  std::vector<double> waiting;
  for (const OffloadedRun& run : runs) {
    const double all = run.seconds(), steps = static_cast<double>(run.steps.size());
    waiting.push_back(run.waited_seconds() / all);
    table.rows.push_back({run.mode == SplitMode::solved ? "split" : "load only", 1e3 * all / steps,
                          100 * waiting.back(), 100 * run.recompute_seconds() / all,
                          100 * (1 - waiting.back() - run.recompute_seconds() / all), run.kv_bytes() / steps / 1e6,
                          run.input_bytes() / steps / 1e6, 100 * (1 - waiting.back())});
  }
  result.tables = {std::move(table),
                   {"Paper: an MHA block (figure 10), GPU utilization (figure 8)",
                    {"variant", "KV transfer %", "layer inputs %", "GPU computation %", "GPU utilization %"},
                    {{"FlexGen", 58, nullptr, 2.3, 85}, {"KVPR", 38, 8, 13.3, 99}}}};
  const bool recomputed = runs.back().recompute_seconds() > 0;
  result.time_findings = {
      (recomputed ? std::string() : std::string("recomputing did not pay off at this length; ")) +
          "the share of a step spent waiting for the link changes from " + percent(waiting[0]) + " to " +
          percent(waiting[1]) +
          (recomputed && waiting[1] < waiting[0] ? ": lower, as in the paper" : ": unlike in the paper"),
      "the processor is busy for " + percent(1 - waiting[0]) + " of the time loading alone and for " +
          percent(1 - waiting[1]) + " with the split (paper: 85 and 99 % of a GPU)"};
  return result;
}

Expected<FigureResult> split_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(arguments, *bench);
  arguments.lines->expect_cells(1);
  KV_ASSIGN(const auto runs, decode(arguments, *bench, arguments.context_tokens, arguments.answer_tokens));
  const OffloadedRun& split = runs.back();
  FigureTable table{
      "The split at each generated token",
      {"generated token", "tokens offloaded", "recomputed", "predicted ms", "measured ms", "load only ms"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "generated token",
                          .y = {"recomputed", "tokens offloaded"},
                          .y_title = "tokens"};
  std::vector<double> off;
  int least = max_prompt, most = 0;
  for (std::size_t s = 0; s < split.steps.size(); ++s) {
    const OffloadedStep& step = split.steps[s];
    least = std::min(least, step.recomputed_tokens);
    most = std::max(most, step.recomputed_tokens);
    off.push_back(std::abs(step.seconds / step.predicted_seconds - 1));
    table.rows.push_back({s + 2, step.streamed_tokens, step.recomputed_tokens, 1e3 * step.predicted_seconds,
                          1e3 * step.seconds, 1e3 * runs.front().steps[s].seconds});
  }
  result.tables = {std::move(table)};
  result.time_findings = {"between " + std::to_string(least) + " and " + std::to_string(most) + " of " +
                              std::to_string(split.steps.back().streamed_tokens) +
                              " offloaded tokens are recomputed, " + "from " +
                              std::to_string(split.steps.front().recomputed_tokens) + " at the first to " +
                              std::to_string(split.steps.back().recomputed_tokens) + " at the last",
                          "predicted versus measured: median error of the steps " + percent(percentile(off, 0.5))};
  return result;
}

Expected<FigureResult> transfer_figure(const FigureArguments& arguments) {
  FigureTable table{
      "A layer of a decode step", {"hidden", "keys and values MB", "link ms", "compute ms", "link / compute"}, {}};
  std::optional<FigureResult> result;
  double bandwidth = 0;
  std::vector<double> shares;
  arguments.lines->expect_cells(3);
  for (const int hidden : {1024, 512, 256}) {  // the widest shapes the link for all
    if (arguments.host->interrupted()) return fail(ErrorCode::cancelled, "interrupted");
    arguments.lines->begin_cell("hidden " + std::to_string(hidden));
    KV_ASSIGN(auto bench, open_bench(arguments, {.hidden = hidden, .bandwidth = bandwidth}));
    bandwidth = bench->bandwidth;
    if (!result) result = begin_offload(arguments, *bench);
    const double bytes = recompute_shape(*bench->model).kv_bytes_per_token() * arguments.context_tokens;
    const double link = bench->profile.link.latency_seconds + bytes / bench->profile.link.bytes_per_second;
    shares.push_back(link / bench->profile.rest_seconds);
    table.rows.insert(table.rows.begin(),
                      {hidden, bytes / 1e6, 1e3 * link, 1e3 * bench->profile.rest_seconds, shares.back()});
    arguments.lines->end_cell();
  }
  result->tables = {std::move(table),
                    {"Paper: A100, PCIe 4.0 x16",
                     {"hidden", "keys and values MB", "link ms", "compute ms", "link / compute"},
                     {{4096, 512, 15.6, 0.3509, 15.6 / 0.3509},
                      {5120, 640, 19.5, 0.4388, 19.5 / 0.4388},
                      {7168, 896, 27.3, 0.6143, 27.3 / 0.6143}}}};
  const auto [least, most] = std::ranges::minmax(shares);
  result->time_findings = {
      "transfer takes " + short_number(least) + " - " + short_number(most) +
      " times as long as compute (paper: 44 times)" +
      (least > 1 ? ": the processor stalls, as in the paper" : ": not at every width, unlike in the paper")};
  return std::move(*result);
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
