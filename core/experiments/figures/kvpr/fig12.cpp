// KVPR, figure 12: the optimal split over the generation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/statistics.h"
#include "core/experiments/figures/kvpr/claim_limits.h"
#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// The split grows by less than the generated tokens: whole chunks of 64 of them would hide it.
constexpr int split_chunk = 8;

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
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::lines,
      .x = "generated token",
      .y = {"recomputed", "tokens offloaded"},
      .y_title = "tokens",
      .published = {{"paper: recomputed, OPT-6.7B", 1, 182, 182}, {"paper: recomputed, OPT-6.7B", 32, 128, 128}}};
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

Expected<FigureResult> split_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments, {.chunk_tokens = split_chunk}));
  FigureResult result = begin_offload(figure, arguments, *bench);
  const std::vector<OffloadCell> cells = whole_prompt(arguments);
  std::vector<SplitStep> steps(static_cast<std::size_t>(arguments.answer_tokens));
  std::vector<double> off, all_recomputed, change;
  std::vector<SplitEnds> ends;
  const auto keep = [&](std::size_t, const OffloadedRun& run) {
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
    if (run.mode != SplitMode::solved) return;
    ends.push_back({run.steps.front().recomputed_tokens, run.steps.back().recomputed_tokens});
    change.push_back(ends.back().last - ends.back().first);
  };
  KV_ASSIGN(const auto measured, measure_cells(arguments, *bench, cells, keep));
  result.tables = {split_table(steps)};
  add_claim_of(measured, result, "kvpr/split-32nd", {measured_mean(change)});
  result.measured.back().withheld = split_withheld(ends, arguments.context_tokens);
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

}  // namespace

const Experiment& kvpr_fig12() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig12",
          .paper = "kvpr",
          .title = "the optimal split over the generation",
          .does =
              std::string("Recomputed tokens per layer at each generated token, as the scheduler solves the split at "
                          "each step, with predicted and measured time, averaged over the blocks. Splits are whole "
                          "chunks of 8 tokens. Decoded tokens are among them only where the model computes in fp32: a "
                          "decode step's layer inputs are fp32. A split of all of the prompt, or of nothing, at both "
                          "ends gives no verdict.") +
              on_swept_opt,
          .expected = "The split changes with the sequence length and the step times; predictions are accurate.",
          .published = "OPT-6.7B, batch 64, prompt 128, 32 generated: l is solved at each step; the paper's text gives "
                       "182 at the first and 128 at the 32nd token and says that it increases",
          .settings = with_swept_bandwidth(offload_settings("128", "32")),
          .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      split_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
