// EvicPress, figure 4: the method with the smallest quality drop for each context.
#include "core/experiments/figures/evicpress/curve_experiment.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/profile_figures.h"

namespace kvantage::inline evicpress_figures {
namespace {

FigureResult least_hurting(const PaperFigure& figure, const Snapshot& snapshot, const AskedCurves& asked) {
  return figure_least_hurting(figure, snapshot, asked.methods, asked.removed_fractions.front());
}

}  // namespace

const Experiment& evicpress_fig4() {
  static const CurveExperiment experiment(
      PaperFigure{
          .name = "evicpress/fig4",
          .paper = "evicpress",
          .title = "the method with the smallest quality drop for each context",
          .does = "For each context, the method with the smallest quality drop at one removed fraction. Ties are split "
                  "evenly and counted.",
          .expected = "No method is best for all: several lead for a substantial share of the contexts, regardless of "
                      "their length.",
          .published = "kvzip 40.3 %, knorm 40.0 %, snapkv 19.7 % of the contexts; their lengths overlap",
          .settings = {workload_setting("sensitivity-large"), methods_setting("kvzip,knorm,snapkv"),
                       one_value(removed_setting("0.6"), "Removed fraction"), metric_setting()},
          .more = options_of_curves(),
          .quick = {{"--methods", "keydiff,knorm"}, {"--removed", "0.6"}, {"--quality-metric", "token_f1"}}},
      least_hurting);
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
