// EvicPress, figure 9: requests served by each tier, and quality.
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/policy_runs.h"

namespace kvantage::inline evicpress_figures {

const RunsView& hits_view() {
  static const RunsView view(
      PaperFigure{
          .name = "evicpress/fig9",
          .paper = "evicpress",
          .title = "requests served by each tier, and quality",
          .does = {},
          .expected =
              "At equal or higher quality more requests are served by the fast tier than under fixed configurations.",
          .published = "evicpress hits the fast tier more often at higher quality; the slow tier less often"},
      [](const PaperFigure& figure, const PolicyRuns& runs) {
        return figure_hits(figure, runs.study.outcomes, runs.study.tiers);
      });
  return view;
}

const Experiment& evicpress_fig9() { return hits_view(); }

}  // namespace kvantage::inline evicpress_figures
