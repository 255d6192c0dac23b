// Throughput figures of KVPR: batched decoding (section 4.2), on a slower machine (appendix A.5), on the shape of
// Llama 2 (appendix A.6).
#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/experiments/figures/offload_bench.h"
#include "core/model/transformer.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

struct ThroughputCell {
  int prompt, generated, batch;
};

struct Throughput {
  FigureTable table;
  std::vector<double> gains, off;  // one per cell
};

FigurePlot over_length() {
  return {.kind = FigurePlot::Kind::lines,
          .x = "prompt tokens",
          .y = {"load only tokens/s", "split tokens/s"},
          .y_title = "tokens/s",
          .by = {"generated"}};
}

/// Loading alone and the solved split at each cell.
Status measure_batches(const FigureArguments& arguments, OffloadBench& bench, const std::vector<ThroughputCell>& cells,
                       const OffloadStudyOptions& options, Throughput& into) {
  into.table.columns = {"prompt tokens",      "generated",          "batch",
                        "keys and values MB", "load only tokens/s", "split tokens/s",
                        "throughput gain %",  "recomputed tokens",  "predicted split tokens/s",
                        "prediction error %"};
  const double token_bytes = recompute_shape(*bench.model).kv_bytes_per_token() * bench.model->config().layers;
  for (const ThroughputCell& cell : cells) {
    KV_ASSIGN(const auto runs, decode(arguments, bench, cell.prompt, cell.generated, options, cell.batch));
    const OffloadedRun &load = runs.front(), &split = runs.back();
    const double tokens = static_cast<double>(cell.batch * cell.generated);
    into.gains.push_back(load.seconds() / split.seconds() - 1);
    into.off.push_back(std::abs(split.seconds() / split.predicted_seconds() - 1));
    into.table.rows.push_back(
        {cell.prompt, cell.generated, cell.batch, token_bytes * cell.batch * (cell.prompt + cell.generated) / 1e6,
         tokens / load.seconds(), tokens / split.seconds(), 100 * into.gains.back(),
         split.steps.back().recomputed_tokens / cell.batch, tokens / split.predicted_seconds(), 100 * into.off.back()});
  }
  return {};
}

/// A quarter, half and all of the prompt, a quarter and all of the answer.
std::vector<ThroughputCell> lengths(const FigureArguments& arguments, int batch) {
  std::vector<ThroughputCell> cells;
  for (const int part : {4, 2, 1})
    for (const int of_generated : {4, 1})
      cells.push_back({std::max(offload_chunk, arguments.context_tokens / part),
                       std::max(1, arguments.answer_tokens / of_generated), batch});
  return cells;
}

std::string compared(const std::vector<double>& gains, const std::string& with, const std::string& paper) {
  return "the split decodes " + range_of(gains) + " more tokens per second than " + with + " (paper: " + paper + ")" +
         (std::ranges::min(gains) > 0 ? ": as in the paper" : ": not everywhere, unlike in the paper");
}

std::string predictions(const std::vector<double>& off) {
  return "the scheduler's prediction of the split has a median error of " + percent(percentile(off, 0.5));
}

OffloadStudyOptions column_by_column() {
  OffloadStudyOptions options;
  options.order = BatchOrder::column;
  options.weights = WeightLoading::keys_values_first;
  return options;
}

int batch_of(const FigureArguments& arguments) { return std::max(1, arguments.max_batch); }

/// Sets the number of compute threads during its lifetime.
struct Threads {
  explicit Threads(int threads) : before(compute_threads()) { set_compute_threads(threads); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_compute_threads(before); }
  int before;
};

}  // namespace

Expected<FigureResult> batch_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  const int most = batch_of(arguments), middle = std::max(1, most / 2);
  FigureResult result = begin_offload(arguments, *bench, "1 to " + std::to_string(most));
  std::vector<ThroughputCell> batches;
  for (int batch = 1; batch <= most; batch = batch < most ? std::min(most, 2 * batch) : most + 1)
    batches.push_back({arguments.context_tokens, std::max(1, arguments.answer_tokens / 2), batch});
  const std::vector<ThroughputCell> by_length = lengths(arguments, middle);
  arguments.lines->expect_cells(static_cast<int>(batches.size() + by_length.size()));
  Throughput over_lengths{
      {"Decode throughput, " + std::to_string(middle) + " sequences column by column, weights streamed", {}, {}},
      {},
      {}};
  Throughput over_batches{{"Decode throughput against the batch", {}, {}}, {}, {}};
  KV_TRY(measure_batches(arguments, *bench, by_length, column_by_column(), over_lengths));
  KV_TRY(measure_batches(arguments, *bench, batches, column_by_column(), over_batches));
  result.time_findings = {
      "over lengths " +
          compared(over_lengths.gains, "loading alone", "up to 15.1, 46.2 and 29.0 % with OPT-6.7B, 13B and 30B"),
      "over batches " + compared(over_batches.gains, "loading alone", "at every batch, more for larger ones"),
      over_batches.gains.back() > over_batches.gains.front()
          ? "the largest batch gains more than a single sequence: as in the paper"
          : "the largest batch gains no more than a single sequence: unlike in the paper",
      predictions(over_batches.off)};
  result.findings = {"both variants gave the same tokens"};
  over_lengths.table.plot = over_length();
  over_batches.table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                                       .x = "batch",
                                       .y = {"load only tokens/s", "split tokens/s"},
                                       .y_title = "tokens/s"};
  result.tables = {std::move(over_lengths.table), std::move(over_batches.table)};
  return result;
}

Expected<FigureResult> slower_machine_figure(const FigureArguments& arguments) {
  double bandwidth = 0;
  {
    KV_ASSIGN(const auto whole, open_bench(arguments));
    bandwidth = whole->bandwidth / 2;
  }
  const Threads fewer(std::max(1, compute_threads() / 2));
  KV_ASSIGN(auto bench, open_bench(arguments, {.bandwidth = bandwidth}));
  const int batch = batch_of(arguments);
  FigureResult result = begin_offload(arguments, *bench, batch);
  result.settings["threads"] = compute_threads();
  const auto cells = lengths(arguments, batch);
  arguments.lines->expect_cells(static_cast<int>(cells.size()));
  Throughput measured{{"Decode throughput, half the threads and half the link bandwidth, " + std::to_string(batch) +
                           " sequences column by column, weights streamed",
                       {},
                       {}},
                      {},
                      {}};
  KV_TRY(measure_batches(arguments, *bench, cells, column_by_column(), measured));
  result.time_findings = {compared(measured.gains, "loading alone", "6.6 - 15.9 %"), predictions(measured.off)};
  result.findings = {"both variants gave the same tokens"};
  measured.table.plot = over_length();
  result.tables = {std::move(measured.table),
                   {"Paper: OPT-6.7B on a Quadro RTX 5000, PCIe 4.0 x8, tokens/s",
                    {"prompt tokens", "generated", "FlexGen", "KVPR"},
                    {{256, 32, 50.057, 53.976},
                     {256, 128, 46.779, 49.860},
                     {512, 32, 29.614, 33.666},
                     {512, 128, 28.650, 32.277},
                     {1024, 32, 15.778, 18.285},
                     {1024, 128, 16.194, 18.108}}}};
  return result;
}

Expected<FigureResult> llama_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments, {.llama = true}));
  const int batch = batch_of(arguments);
  FigureResult result = begin_offload(arguments, *bench, batch);
  const auto cells = lengths(arguments, batch);
  arguments.lines->expect_cells(static_cast<int>(cells.size()));
  Throughput measured{{"Decode throughput, " + std::to_string(batch) + " sequences", {}, {}}, {}, {}};
  KV_TRY(measure_batches(arguments, *bench, cells, {}, measured));
  result.time_findings = {
      compared(measured.gains, "loading alone (as Accelerate does)", "consistently more with LLaMa2-7B and 13B"),
      predictions(measured.off)};
  result.findings = {"both variants gave the same tokens"};
  measured.table.plot = over_length();
  result.tables = {std::move(measured.table)};
  return result;
}

}  // namespace kvantage::inline figures
