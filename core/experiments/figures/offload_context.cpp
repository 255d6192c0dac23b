// A prompt's cache loaded as a whole from a slower tier (KVPR, with contexts as served by this runtime): loading,
// recomputing, and split.
#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/experiments/figures/offload_bench.h"
#include "core/experiments/model/context_load_study.h"
#include "core/kvpr/recompute_profile.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline figures {
namespace {

const char* context_text(SplitMode mode) {
  if (mode == SplitMode::load_only) return "load only";
  return mode == SplitMode::recompute_only ? "recompute only" : "split";
}

}  // namespace

Expected<FigureResult> context_load_figure(const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments, {.decodes = false}));
  FigureResult result = begin_offload(arguments, *bench);
  result.settings.erase("generated tokens");
  result.settings.erase("rest of a layer ms");  // only for decode steps
  Transformer& model = *bench->model;
  FigureTable table{"Loading a prompt's whole cache",
                    {"prompt tokens", "variant", "recomputed tokens", "ms", "predicted ms", "prediction error %",
                     "waiting for the link %", "keys and values MB", "layer inputs MB", "predicted MB"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "prompt tokens", .y = {"ms"}, .by = {"variant"}};
  std::vector<double> against_loading, against_computing, off, bytes_off;
  arguments.lines->expect_cells(3);
  for (const int part : {4, 2, 1}) {
    const int prompt = std::max(offload_chunk, arguments.context_tokens / part);
    arguments.lines->begin_cell(std::to_string(prompt) + " tokens");
    ContextLoadStudyOptions options;
    options.chunk_tokens = offload_chunk;
    options.stop = [&arguments] { return arguments.host->interrupted(); };
    options.profile = bench->profile;
    KV_ASSIGN(const auto taking_in, profile_taking_in(model, prompt, offload_chunk, arguments.host->clock()));
    options.profile.rest_seconds = taking_in;
    KV_ASSIGN(const auto runs, compare_context_loads(model, *bench->tier, *bench->buffers,
                                                     {bench->prompt.begin(), bench->prompt.begin() + prompt}, options));
    for (const ContextLoadRun& run : runs) {
      const ContextLoad& load = run.load;
      const double shipped = static_cast<double>(load.kv_bytes + load.input_bytes),
                   predicted = static_cast<double>(load.predicted_bytes);
      off.push_back(std::abs(load.seconds / load.predicted_seconds - 1));
      bytes_off.push_back(std::abs(shipped / predicted - 1));
      table.rows.push_back({prompt, context_text(run.mode), load.recomputed_tokens, 1e3 * load.seconds,
                            1e3 * load.predicted_seconds, 100 * off.back(), 100 * load.waited_seconds / load.seconds,
                            static_cast<double>(load.kv_bytes) / 1e6, static_cast<double>(load.input_bytes) / 1e6,
                            predicted / 1e6});
    }
    against_loading.push_back(1 - runs[2].load.seconds / runs[0].load.seconds);
    against_computing.push_back(1 - runs[2].load.seconds / runs[1].load.seconds);
    arguments.lines->end_cell();
  }
  result.tables = {std::move(table)};
  const bool everywhere = std::ranges::min(against_loading) > 0 && std::ranges::min(against_computing) > 0;
  result.time_findings = {
      "the split takes " + range_of(against_loading) + " less time than loading alone and " +
          range_of(against_computing) + " less than recomputing all of it from layer inputs" +
          (everywhere ? ": it is the fastest at every length" : ": it is not the fastest at every length"),
      "predicted versus measured: median error of the time " + percent(percentile(off, 0.5)) +
          ", maximum error of the bytes " + percent(std::ranges::max(bytes_off)) + " (blocks end on 4 KiB)"};
  result.findings = {"all variants restored the prefill's cache bit for bit"};
  return result;
}

}  // namespace kvantage::inline figures
