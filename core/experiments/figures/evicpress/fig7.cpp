// EvicPress, figure 7: TTFT against quality over all families.
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/policy_runs.h"

namespace kvantage::inline evicpress_figures {

const RunsView& frontier_view() {
  static const RunsView view(
      PaperFigure{
          .name = "evicpress/fig7",
          .paper = "evicpress",
          .title = "TTFT against quality, all families together",
          .does = {},
          .expected =
              "At equal quality, evicpress is faster than every fixed configuration + LRU and than IMPRESS. Near "
              "full quality, it is faster than prefill and LRU.",
          .published =
              "against fixed compression with LRU 1.43 - 3.77 times lower TTFT at equal quality and 13.58 - "
              "55.40 % more quality at equal TTFT; against IMPRESS 1.5 - 5.2 "
              "times and 14.29 - 27.00 %; within 3 % of full quality 1.29 - 2.19 times faster than prefill and "
              "1.22 - 1.56 times than LRU alone"},
      [](const PaperFigure& figure, const PolicyRuns& runs) {
        return figure_frontier(figure, runs.study.outcomes, runs.study.tiers);
      });
  return view;
}

const Experiment& evicpress_fig7() { return frontier_view(); }

}  // namespace kvantage::inline evicpress_figures
