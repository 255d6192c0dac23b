// EvicPress, figure 12: TTFT against quality by family.
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/policy_runs.h"

namespace kvantage::inline evicpress_figures {

const RunsView& frontier_by_family_view() {
  static const RunsView view(
      PaperFigure{.name = "evicpress/fig12",
                  .paper = "evicpress",
                  .title = "TTFT against quality by family",
                  .does = {},
                  .expected = "Ahead of the fixed configurations in nearly every family.",
                  .published = "better than keydiff with LRU on 11 of 12 datasets, by most on short contexts"},
      [](const PaperFigure& figure, const PolicyRuns& runs) {
        return figure_frontier_by_family(figure, runs.study.outcomes);
      });
  return view;
}

const Experiment& evicpress_fig12() { return frontier_by_family_view(); }

}  // namespace kvantage::inline evicpress_figures
