// EvicPress, figure 11: methods and removed fractions chosen on each tier.
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/policy_runs.h"

namespace kvantage::inline evicpress_figures {

const RunsView& choices_view() {
  static const RunsView view(
      PaperFigure{
          .name = "evicpress/fig11",
          .paper = "evicpress",
          .title = "methods and removed fractions chosen on each tier",
          .does = {},
          .expected = "Several methods at many removed fractions are in use, and slower tiers hold more strongly "
                      "compressed caches.",
          .published =
              "a broad mix; slower tiers hold more strongly compressed caches; keydiff is chosen most often, the "
              "others for a substantial share of the contexts"},
      [](const PaperFigure& figure, const PolicyRuns& runs) {
        return figure_choices(figure, runs.chosen, runs.chosen_policy, runs.chosen_alpha);
      });
  return view;
}

const Experiment& evicpress_fig11() { return choices_view(); }

}  // namespace kvantage::inline evicpress_figures
