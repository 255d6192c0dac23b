// Throughput figures of KVPR: batched decoding (section 4.2), on a slower machine (appendix A.5), on the shape of
// Llama 2 (appendix A.6).
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/figures/offload_bench.h"
#include "core/experiments/measured_spans.h"
#include "core/model/transformer.h"

namespace kvantage::inline figures {
namespace {

struct Length {
  int prompt, generated, batch;
};

struct Throughput {
  FigureTable table;
  std::vector<MeasuredSpan> ratios, gains;  // the split's tokens/s over loading alone, and - 1; one per length
  std::vector<double> off;                  // of each block
};

FigurePlot over_length() {
  return {.kind = FigurePlot::Kind::lines,
          .x = "prompt tokens",
          .y = {"load only tokens/s", "split tokens/s"},
          .y_title = "tokens/s",
          .by = {"generated"}};
}

/// Loading alone and the solved split at each length.
std::vector<OffloadCell> both_ways(const std::vector<Length>& lengths, const OffloadStudyOptions& options) {
  std::vector<OffloadCell> cells;
  for (const Length& length : lengths)
    for (const SplitMode mode : {SplitMode::load_only, SplitMode::solved})
      cells.push_back({length.prompt, length.generated, length.batch, mode, options});
  return cells;
}

/// Of cells as both_ways() makes them.
Throughput throughput_of(std::string title, const OffloadBench& bench, std::span<const MeasuredCell> cells) {
  Throughput all{{std::move(title),
                  {"prompt tokens", "generated", "batch", "keys and values MB", "load only tokens/s", "low", "high",
                   "split tokens/s", "low", "high", "throughput gain %", "low", "high", "recomputed tokens",
                   "predicted split tokens/s", "prediction error %"},
                  {}},
                 {},
                 {},
                 {}};
  const double token_bytes = recompute_shape(*bench.model).kv_bytes_per_token() * bench.model->config().layers;
  for (std::size_t c = 0; c + 1 < cells.size(); c += 2) {
    const MeasuredCell &load = cells[c], &split = cells[c + 1];
    const auto& [prompt, generated, batch, mode, options] = split.cell;
    const std::vector<double> errors = split.prediction_errors();
    all.ratios.push_back(time_ratio(load, split));
    all.gains.push_back(scaled(all.ratios.back(), 1, -1));
    all.off.insert(all.off.end(), errors.begin(), errors.end());
    std::vector<Json> row{prompt, generated, batch, token_bytes * batch * (prompt + generated) / 1e6};
    add_interval_cells(row, measured_mean(load.tokens_per_second()));
    add_interval_cells(row, measured_mean(split.tokens_per_second()));
    add_interval_cells(row, scaled(all.gains.back(), 100));
    row.emplace_back(split.mean(&OffloadSums::recomputed_tokens));
    row.emplace_back(batch * generated / split.mean(&OffloadSums::predicted_seconds));
    row.emplace_back(100 * mean_of(errors));
    all.table.rows.push_back(std::move(row));
  }
  return all;
}

/// A quarter, half and all of the prompt, a quarter and all of the answer.
std::vector<Length> lengths(const FigureArguments& arguments, int batch) {
  std::vector<Length> all;
  for (const int part : {4, 2, 1})
    for (const int of_generated : {4, 1})
      all.push_back({std::max(offload_chunk, arguments.context_tokens / part),
                     std::max(1, arguments.answer_tokens / of_generated), batch});
  return all;
}

std::string compared(const std::vector<MeasuredSpan>& gains, const std::string& with) {
  return "the split decodes " + range_of(gains) + " more tokens per second than " + with;
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

/// Of loading alone and the split: one value a block.
std::vector<double> ratios_of(std::span<const MeasuredCell> both) {
  const auto load = both[0].each(&OffloadSums::seconds), split = both[1].each(&OffloadSums::seconds);
  std::vector<double> ratios;
  for (std::size_t block = 0; block < load.size(); ++block) ratios.push_back(load[block] / split[block]);
  return ratios;
}

void add_batch_claims(const Throughput& over_lengths, const Throughput& over_batches, FigureResult& result) {
  std::vector<MeasuredSpan> everywhere = over_lengths.gains;
  everywhere.insert(everywhere.end(), over_batches.gains.begin(), over_batches.gains.end());
  add_claim(result, "kvpr/throughput-up-to", largest_of(everywhere), true);
  for (const char* claim : {"kvpr/throughput-6.7b", "kvpr/throughput-13b", "kvpr/throughput-30b"})
    add_claim(result, claim, largest_of(over_lengths.gains), true);
  add_claim(result, "kvpr/throughput-all-lengths", over_lengths.ratios, true);
  add_claim(result, "kvpr/throughput-all-batches", over_batches.ratios, true);
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
  const int most = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.batch = most}));
  const int middle = std::max(1, most / 2);
  FigureResult result = begin_offload(arguments, *bench, "1 to " + std::to_string(most));
  std::vector<OffloadCell> cells = both_ways(lengths(arguments, middle), column_by_column());
  const std::size_t of_lengths = cells.size();
  std::vector<Length> batches;
  for (int batch = 1; batch <= most; batch = batch < most ? std::min(most, 2 * batch) : most + 1)
    batches.push_back({arguments.context_tokens, std::max(1, arguments.answer_tokens / 2), batch});
  const auto of_batches = both_ways(batches, column_by_column());
  cells.insert(cells.end(), of_batches.begin(), of_batches.end());
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  const std::span all(measured);
  Throughput over_lengths =
      throughput_of("Decode throughput, " + std::to_string(middle) + " sequences column by column, weights streamed",
                    *bench, all.first(of_lengths));
  Throughput over_batches = throughput_of("Decode throughput against the batch", *bench, all.subspan(of_lengths));
  add_batch_claims(over_lengths, over_batches, result);
  if (batches.size() > 1)  // the largest batch's ratio over a single sequence's
    add_claim(result, "kvpr/throughput-grows-with-cache",
              measured_ratio(ratios_of(all.last(2)), ratios_of(all.subspan(of_lengths, 2))), true);
  result.time_findings = {"over lengths " + compared(over_lengths.gains, "loading alone"),
                          "over batches " + compared(over_batches.gains, "loading alone"),
                          "the largest batch gains " + percent(over_batches.gains.back().low) + ", a single sequence " +
                              percent(over_batches.gains.front().low),
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
  const int batch = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.batch = batch, .bandwidth = bandwidth}));
  FigureResult result = begin_offload(arguments, *bench, batch);
  result.settings["threads"] = compute_threads();
  result.settings["bandwidth"] = arguments.bandwidth > 0 ? "half of the given one" : "half of the break-even one";
  const auto cells = both_ways(lengths(arguments, batch), column_by_column());
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  Throughput all = throughput_of("Decode throughput, half the threads and half the link bandwidth, " +
                                     std::to_string(batch) + " sequences column by column, weights streamed",
                                 *bench, measured);
  constexpr std::array rows{"256-32", "256-128", "512-32", "512-128", "1024-32", "1024-128"};
  for (std::size_t r = 0; r < rows.size(); ++r)
    add_claim(result, std::string("kvpr/table-5-") + rows[r], all.gains[r], true);
  add_claim(result, "kvpr/low-end-up-to", largest_of(all.gains), true);
  result.time_findings = {compared(all.gains, "loading alone"), predictions(all.off)};
  result.findings = {"both variants gave the same tokens"};
  all.table.plot = over_length();
  result.tables = {std::move(all.table),
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
  const int batch = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.llama = true, .batch = batch}));
  FigureResult result = begin_offload(arguments, *bench, batch);
  const auto cells = both_ways(lengths(arguments, batch), {});
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  Throughput all = throughput_of("Decode throughput, " + std::to_string(batch) + " sequences", *bench, measured);
  add_claim(result, "kvpr/llama-vs-accelerate", all.ratios, true);
  result.time_findings = {compared(all.gains, "loading alone (as Accelerate does)"), predictions(all.off)};
  result.findings = {"both variants gave the same tokens"};
  all.table.plot = over_length();
  result.tables = {std::move(all.table)};
  return result;
}

}  // namespace kvantage::inline figures
