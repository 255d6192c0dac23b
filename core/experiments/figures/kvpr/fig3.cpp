// KVPR, figure 3: timeline of a decode step from a slower tier, link and CPU, loading alone and split.
#include <algorithm>
#include <array>

#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/figures/kvpr/offload_bench.h"
#include "core/experiments/figures/kvpr/settings.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

using What = OffloadedSpan::What;

bool on_link(What what) { return what == What::weights || what == What::layer_inputs || what == What::keys_values; }

const char* lines_text(What what) {
  constexpr std::array words{"weights", "layer inputs", "keys and values", "recomputed keys and values", "layer"};
  return words[static_cast<std::size_t>(what)];
}

/// Merges consecutive blocks of a layer into one span.
std::vector<OffloadedSpan> merged(const std::vector<OffloadedSpan>& spans) {
  std::vector<OffloadedSpan> all;
  for (const OffloadedSpan& span : spans) {
    // Weights come in two parts, possibly separated by other transfers.
    const auto same = std::ranges::find_if(all, [&](const OffloadedSpan& one) {
      return one.what == span.what && one.layer == span.layer && one.sequence == span.sequence &&
             (span.what != What::weights || span.begin - one.end < 1e-4);
    });
    if (same == all.end())
      all.push_back(span);
    else
      same->begin = std::min(same->begin, span.begin), same->end = std::max(same->end, span.end);
  }
  std::ranges::sort(all, {}, &OffloadedSpan::begin);
  return all;
}

/// Seconds of [0, until] covered by spans of one side; they may overlap by the clock's resolution.
double busy(const std::vector<OffloadedSpan>& spans, bool link, double until) {
  double covered = 0, reached = 0;
  for (const OffloadedSpan& span : spans) {  // ascending by begin
    if (on_link(span.what) != link) continue;
    const double from = std::max(span.begin, reached), to = std::min(span.end, until);
    covered += std::max(0.0, to - from);
    reached = std::max(reached, to);
  }
  return covered;
}

Expected<FigureResult> time_line_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(auto bench, open_bench(arguments));
  FigureResult result = begin_offload(figure, arguments, *bench);
  result.settings.erase("blocks");  // a drawing of one step
  OffloadStudyOptions options;
  options.weights = WeightLoading::keys_values_first;
  options.spans = true;
  arguments.lines->expect_cells(1);
  std::vector<OffloadedRun> runs;
  KV_TRY(arguments.host->runner().run_cell([&]() -> Expected<ExperimentRunner::Keep> {
    KV_ASSIGN(runs, decode(arguments, *bench, arguments.context_tokens, arguments.answer_tokens, options));
    return [&arguments]() -> Status {
      arguments.lines->end_cell();
      return {};
    };
  }));
  FigureTable shares{"The last step",
                     {"variant", "ms/token", "link busy %", "processor busy %", "recomputed tokens", "link traffic MB"},
                     {}};
  shares.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                           .x = "variant",
                           .y = {"link busy %", "processor busy %"},
                           .y_title = "% of the step"};
  std::vector<FigureTable> lines;
  std::vector<double> seconds, computing;
  for (const OffloadedRun& run : runs) {
    const OffloadedStep& step = run.steps.back();
    const auto spans = merged(step.spans);
    const char* way = run.mode == SplitMode::solved ? "split" : "load only";
    seconds.push_back(step.seconds);
    computing.push_back(busy(spans, false, step.seconds) / step.seconds);
    shares.rows.push_back({way, 1e3 * step.seconds, 100 * busy(spans, true, step.seconds) / step.seconds,
                           100 * computing.back(), step.recomputed_tokens,
                           static_cast<double>(step.input_bytes + step.kv_bytes + step.weight_bytes) / 1e6});
    FigureTable& table = lines.emplace_back(
        FigureTable{std::string("Timeline, ") + way, {"lane", "what", "layer", "from ms", "to ms"}, {}});
    table.plot = FigurePlot{.kind = FigurePlot::Kind::spans,
                            .x = "ms since the start of the step",
                            .y = {"lane", "from ms", "to ms"},
                            .by = {"layer", "what"}};
    for (const OffloadedSpan& span : spans)
      table.rows.push_back({on_link(span.what) ? "link" : "processor", lines_text(span.what), span.layer,
                            1e3 * span.begin, 1e3 * span.end});
  }
  result.tables = {std::move(shares)};
  for (FigureTable& table : lines) result.tables.push_back(std::move(table));
  const bool recomputed = runs.back().steps.back().recomputed_tokens > 0;
  result.time_findings = {recomputed ? "recomputing keys and values overlaps with loading the others"
                                     : "recomputing did not pay off in this step",
                          "the step takes " + short_number(1e3 * seconds[0]) + " ms loading alone and " +
                              short_number(1e3 * seconds[1]) + " ms with the split; the processor is busy for " +
                              percent(computing[0]) + " and " + percent(computing[1]) + " of it",
                          "transfers that the previous step requested begin before 0: two layers are in flight"};
  return result;
}

}  // namespace

const Experiment& kvpr_fig3() {
  static const OffloadExperiment experiment(
      PaperFigure{
          .name = "kvpr/fig3",
          .paper = "kvpr",
          .title = "the pipeline of a decode step, loading alone and split",
          .does = std::string("Timeline of the last step of a short generation, layer by layer: transfers of weights, "
                              "layer inputs, keys and values over the link; recomputation of keys and values and the "
                              "layer itself on the processor. Weights are streamed, W_K and W_V first.") +
                  on_random_opt,
          .expected = "Recomputing keys and values overlaps with loading the others, and the processor stalls less.",
          .published = "A drawing of the two pipelines (figure 3), without numbers",
          .settings = single_settings("1024", "8"),
          .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}}},
      time_line_figure);
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
