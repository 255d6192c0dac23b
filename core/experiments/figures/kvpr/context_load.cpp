// A prompt's cache loaded as a whole from a slower tier, with contexts as served by this runtime: loading,
// recomputing, and split.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/model/context_load_study.h"
#include "core/kvpr/recompute_profile.h"

namespace kvantage::inline kvpr_figures {
namespace {

const char* context_text(SplitMode mode) {
  if (mode == SplitMode::load_only) return "load only";
  return mode == SplitMode::recompute_only ? "recompute only" : "split";
}

constexpr std::array modes{SplitMode::load_only, SplitMode::recompute_only, SplitMode::solved};

/// One way for one prompt.
struct LoadCell {
  int prompt;
  SplitMode mode;
  double rest_seconds;             // of profile_taking_in()
  std::vector<ContextLoad> loads;  // one per block

  std::vector<double> each(double (*of)(const ContextLoad&)) const {
    std::vector<double> values;
    for (const ContextLoad& load : loads) values.push_back(of(load));
    return values;
  }
  std::vector<double> seconds() const {
    return each([](const ContextLoad& load) { return load.seconds; });
  }
};

Expected<std::vector<LoadCell>> measure_loads(const FigureArguments& arguments, OffloadBench& bench) {
  std::vector<LoadCell> cells;
  for (const int part : {4, 2, 1}) {
    const int prompt = std::max(offload_chunk, arguments.context_tokens / part);
    KV_ASSIGN(const auto taking_in, profile_taking_in(*bench.model, prompt, offload_chunk, arguments.host->clock()));
    for (const SplitMode mode : modes) cells.push_back({prompt, mode, taking_in, {}});
  }
  arguments.lines->expect_cells(static_cast<std::size_t>(arguments.blocks) * cells.size());
  const auto measure = [&](std::size_t c, int) -> Expected<ExperimentRunner::Keep> {
    LoadCell& cell = cells[c];
    arguments.lines->begin_cell(std::to_string(cell.prompt) + " tokens");
    ContextLoadStudyOptions options;
    options.modes = {cell.mode};
    options.rounds = 1;  // the blocks are the rounds
    options.chunk_tokens = offload_chunk;
    options.stop = [&arguments] { return arguments.host->interrupted(); };
    options.profile = bench.profile;
    options.profile.rest_seconds = cell.rest_seconds;
    KV_ASSIGN(const auto runs,
              compare_context_loads(*bench.model, *bench.tier, *bench.buffers,
                                    {bench.prompt.begin(), bench.prompt.begin() + cell.prompt}, options));
    return [&arguments, &cell, load = runs.front().load]() -> Status {
      cell.loads.push_back(load);
      arguments.lines->end_cell();
      return {};
    };
  };
  KV_TRY(arguments.host->runner().run_blocks(arguments.blocks, cells.size(), arguments.seed, measure));
  return cells;
}

std::vector<double> errors_of_time(const LoadCell& cell) {
  return cell.each([](const ContextLoad& load) { return std::abs(load.seconds / load.predicted_seconds - 1); });
}

std::vector<double> errors_of_bytes(const LoadCell& cell) {
  return cell.each([](const ContextLoad& load) {
    return std::abs(static_cast<double>(load.kv_bytes + load.input_bytes) / static_cast<double>(load.predicted_bytes) -
                    1);
  });
}

FigureTable load_table(const std::vector<LoadCell>& cells) {
  FigureTable table{
      "Loading a prompt's whole cache",
      {"prompt tokens", "variant", "recomputed tokens", "ms", "low", "high", "predicted ms", "prediction error %",
       "waiting for the link %", "keys and values MB", "layer inputs MB", "predicted MB"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "prompt tokens", .y = {"ms"}, .by = {"variant"}};
  for (const LoadCell& cell : cells) {
    const auto mean = [&cell](double (*of)(const ContextLoad&)) { return mean_of(cell.each(of)); };
    std::vector<Json> row{cell.prompt, context_text(cell.mode),
                          mean([](const ContextLoad& load) { return static_cast<double>(load.recomputed_tokens); })};
    add_interval_cells(row, scaled(measured_mean(cell.seconds()), 1e3));
    row.emplace_back(1e3 * mean([](const ContextLoad& load) { return load.predicted_seconds; }));
    row.emplace_back(100 * mean_of(errors_of_time(cell)));
    row.emplace_back(100 * mean([](const ContextLoad& load) { return load.waited_seconds / load.seconds; }));
    row.emplace_back(mean([](const ContextLoad& load) { return static_cast<double>(load.kv_bytes) / 1e6; }));
    row.emplace_back(mean([](const ContextLoad& load) { return static_cast<double>(load.input_bytes) / 1e6; }));
    row.emplace_back(mean([](const ContextLoad& load) { return static_cast<double>(load.predicted_bytes) / 1e6; }));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Expected<FigureResult> context_load_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments, {.decodes = false}));
  FigureResult result = begin_offload(figure, arguments, *bench);
  result.settings.erase("generated tokens");
  result.settings.erase("rest of a layer ms");  // only for decode steps
  KV_ASSIGN(const auto cells, measure_loads(arguments, *bench));
  std::vector<double> off, bytes_off;
  std::vector<MeasuredSpan> against_loading, against_computing;
  const auto saved = [](const LoadCell& split, const LoadCell& other) {
    return scaled(measured_ratio(split.seconds(), other.seconds()), -1, 1);
  };
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto of_time = errors_of_time(cells[c]), of_bytes = errors_of_bytes(cells[c]);
    off.insert(off.end(), of_time.begin(), of_time.end());
    bytes_off.insert(bytes_off.end(), of_bytes.begin(), of_bytes.end());
    if (cells[c].mode != SplitMode::solved) continue;
    against_loading.push_back(saved(cells[c], cells[c - 2]));
    against_computing.push_back(saved(cells[c], cells[c - 1]));
  }
  result.tables = {load_table(cells)};
  const bool everywhere = span_of(against_loading).low > 0 && span_of(against_computing).low > 0;
  result.time_findings = {
      "the split takes " + range_of(against_loading) + " less time than loading alone and " +
          range_of(against_computing) + " less than recomputing all of it from layer inputs" +
          (everywhere ? ": it is the fastest at every length" : ": it is not the fastest at every length"),
      "predicted versus measured: median error of the time " + percent(percentile(off, 0.5)) +
          ", maximum error of the bytes " + percent(std::ranges::max(bytes_off)) + " (blocks end on 4 KiB)"};
  result.findings = {"all variants restored the prefill's cache bit for bit"};
  return result;
}

}  // namespace

const Experiment& kvpr_context_load() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/context-load",
          .paper = "kvpr",
          .title = "a prompt's whole cache: loading, recomputing, and split",
          .does =
              std::string("Prompts of a quarter, half and all of the length, prefilled and written with their layer "
                          "inputs, are restored into a resident cache: loading keys and values alone, recomputing all "
                          "of them from layer inputs, and the solved split; measured and predicted seconds and bytes, "
                          "averaged over the blocks. Each cache is compared with the prefill's, bit for bit.") +
              on_random_opt + " On the command line, --model selects another model.",
          .expected = "The split is faster than either alone, and transfers as many bytes as predicted.",
          .published =
              "No such figure: the paper splits each decode step. Here the same split serves a context that is "
              "loaded once and then stays resident",
          .settings =
              {{"--context-tokens", "Prompt (tokens)", "1024", {}, "Length of the longest prompt, of random tokens"},
               {"--seed", "Seed", "1", {}, "Seed of the weights and the prompt"},
               bandwidth_setting(),
               blocks_setting(),
               width_setting("1024")},
          .more = {"--model"},
          .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--blocks", "2"}}},
      context_load_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
