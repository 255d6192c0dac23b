// KVPR, appendix A.6 and figure 13: decode throughput with the Llama 2 architecture.
#include <string>
#include <utility>

#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline kvpr_figures {
namespace {

Expected<FigureResult> llama_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  const int batch = batch_of(arguments);
  KV_ASSIGN(auto bench, open_bench(arguments, {.llama = true, .batch = batch}));
  FigureResult result = begin_offload(figure, arguments, *bench, batch);
  const auto cells = both_ways(lengths_of(arguments, batch), {});
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells));
  LengthThroughput all = throughput_of("Decode throughput, " + std::to_string(batch) + " sequences", *bench, measured);
  add_claim(result, "kvpr/llama-vs-accelerate", all.ratios, true);
  result.time_findings = {compared(all.gains, "loading alone (as Accelerate does)"), predictions(all.off)};
  result.findings = {"both variants gave the same tokens"};
  all.table.plot = plot_over_lengths();
  result.tables = {std::move(all.table)};
  return result;
}

}  // namespace

const Experiment& kvpr_fig13() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig13",
          .paper = "kvpr",
          .title = "decode throughput with the Llama 2 architecture",
          .does =
              "Prompts of a quarter, half and all of the length, a quarter and all of the generated tokens, decoded "
              "as a batch: loading alone (Accelerate) versus the solved split. A random-weight Llama of 4 layers "
              "(heads 64 wide with keys and values each, RoPE, RMSNorm, gated MLP), on a tier in memory throttled to a "
              "bandwidth, by default so that loading a token takes as long as recomputing it.",
          .expected = "The split decodes more tokens per second at every length: recomputed keys are rotated to their "
                      "positions.",
          .published =
              "Consistently more tokens/s than DeepSpeed Inference and Accelerate with LLaMa2-7B and 13B, batch "
              "64 (figure 13, no numbers given)",
          .settings = batch_settings("1024", "16", "4", "1024"),
          .quick = {{"--width", "256"},
                    {"--context-tokens", "192"},
                    {"--answer-tokens", "8"},
                    {"--blocks", "2"},
                    {"--max-batch", "2"}}},
      llama_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
