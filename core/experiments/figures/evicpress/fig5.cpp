// EvicPress, figure 5: the removed fraction with the best balance of quality and TTFT, loaded from the slowest tier.
#include <algorithm>

#include "core/experiments/figures/evicpress/curve_experiment.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/profile_figures.h"

namespace kvantage::inline evicpress_figures {
namespace {

/// What the paper gives numbers for, as a table with a chart of its own.
FigureTable variations_table(const FigureTable& by_family) {
  constexpr const char* variation = "coefficient of variation";
  FigureTable table{"Variation of the best fraction within a family, 95 % intervals over contexts",
                    {"family", variation, "low", "high"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "family",
                          .y = {variation},
                          .published = {{"paper: within six data sets", nullptr, 0.068, 0.806}}};
  const auto at = std::ranges::find(by_family.columns, variation) - by_family.columns.begin();
  if (static_cast<std::size_t>(at) + 2 >= by_family.columns.size()) return table;
  for (const auto& row : by_family.rows)
    table.rows.push_back({row.front(), row.begin()[at], row.begin()[at + 1], row.begin()[at + 2]});
  return table;
}

FigureResult best_fractions(const PaperFigure& figure, const Snapshot& snapshot, const AskedCurves& asked) {
  const std::size_t slowest = snapshot.tiers.empty() ? 0 : snapshot.tiers.size() - 1;
  FigureResult result = figure_best_fractions(figure, snapshot, asked.methods, slowest);
  result.tables.push_back(variations_table(result.tables.front()));
  return result;
}

}  // namespace

const Experiment& evicpress_fig5() {
  static const CurveExperiment experiment(
      PaperFigure{.name = "evicpress/fig5",
                  .paper = "evicpress",
                  .title = "removed fraction with the best balance of quality and TTFT",
                  .does =
                      "For each context, the removed fraction that maximizes quality / uncompressed quality - TTFT / "
                      "uncompressed TTFT on the slowest tier. Times are predicted from that tier's fit.",
                  .expected = "The best fraction differs between families and between contexts of one family.",
                  .published =
                      "it differs between datasets and between contexts of one dataset: coefficients of variation from "
                      "0.068 to 0.806",
                  .settings = {workload_setting("sensitivity-large"),
                               methods_setting("keydiff,knorm,snapkv,kvzip"),
                               removed_setting("0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9"),
                               {"--profile-questions",
                                "Profile questions",
                                "8",
                                {},
                                "Of each context: 36 forms of every context answer them"},
                               metric_setting()},
                  .more = {"--seed"},
                  .quick = {{"--methods", "keydiff"}, {"--removed", "0.3,0.6"}, {"--quality-metric", "token_f1"}},
                  .brief = {{"--profile-questions", "4"}}},
      best_fractions);
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
