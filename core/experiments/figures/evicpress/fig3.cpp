// EvicPress, figure 3: quality drop of each context under the same compression.
#include "core/experiments/figures/evicpress/curve_experiment.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/profile_figures.h"

namespace kvantage::inline evicpress_figures {
namespace {

FigureResult sensitivities(const PaperFigure& figure, const Snapshot& snapshot, const AskedCurves& asked) {
  return figure_sensitivities(figure, snapshot, asked.methods.front(), asked.removed_fractions.front());
}

}  // namespace

const Experiment& evicpress_fig3() {
  static const CurveExperiment experiment(
      PaperFigure{
          .name = "evicpress/fig3",
          .paper = "evicpress",
          .title = "quality drop of each context under the same compression",
          .does =
              "Measures the quality curves of all contexts and compares their relative quality drop at one method and "
              "removed fraction, by family.",
          .expected =
              "Drops vary widely: some contexts tolerate a compression that severely degrades others. They vary "
              "less within a family than between families.",
          .published = "medians of six datasets from 0.340 (NarrativeQA) to 0.759 (Qasper), coefficients of variation "
                       "within a dataset from 0.078 to 0.394",
          .settings = {workload_setting("sensitivity-large"), one_value(methods_setting("keydiff"), "Method"),
                       one_value(removed_setting("0.9"), "Removed fraction"), metric_setting()},
          .more = options_of_curves(),
          .quick = {{"--methods", "keydiff"}, {"--removed", "0.6"}, {"--quality-metric", "token_f1"}}},
      sensitivities);
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
