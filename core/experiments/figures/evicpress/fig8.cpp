// EvicPress, figure 8: TTFT and inter-token latency against request rate.
#include <utility>

#include "core/base/form_text.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/studies/served_experiment.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::inline evicpress_figures {
namespace {

class RequestRates final : public ServedExperiment {
 public:
  RequestRates()
      : ServedExperiment(PaperFigure{
            .name = "evicpress/fig8",
            .paper = "evicpress",
            .title = "TTFT and inter-token latency against request rate",
            .does =
                "Every policy under Poisson arrivals at each rate. Compares the highest rate that each sustains at the "
                "minimum quality while the 95th percentile of TTFT, or the mean inter-token latency, stays within its "
                "bound. Also breaks down the engine's time.",
            .expected = "evicpress sustains a higher rate than any other policy before requests queue.",
            .published =
                "at a quality of 0.8 2.0 - 3.6 times the rate of the best baseline at equal TTFT, 1.9 - 3.4 times "
                "at equal inter-token latency",
            .settings = {workload_setting("sensitivity-mix"),
                         rates_setting("4,8,16,24"),
                         {"--ttft-bound",
                          "TTFT bound (s)",
                          "1",
                          {},
                          "Bound on the 95th percentile of TTFT including queueing, in seconds"},
                         {"--itl-bound",
                          "Inter-token bound (s)",
                          {},
                          "twice that of requests served one at a time",
                          "Bound on the mean inter-token latency, in seconds"},
                         {"--min-quality", "Minimum quality", "0.8", {}, "Minimum mean quality, 0 to 1"},
                         one_value(budgets_setting("0.2"), "Budget"),
                         alphas_setting({}, five_alphas),
                         policies_setting("lru,fixed(kivi4,0),fixed(keydiff+kivi4,0.4),evicpress(drop=best)"),
                         methods_setting("keydiff+kivi4,knorm+kivi4,snapkv+kivi4,kivi4"),
                         removed_setting("0.2,0.4,0.6,0.8,0.9"),
                         batch_setting("8"),
                         seeds_setting(),
                         requests_setting()},
            .records_runs = true,
            .more = {"--profile-questions", "--quality-metric", "--seed"},
            .quick = {{"--seeds", "1"},
                      {"--limit", "4"},
                      {"--methods", "keydiff,kivi4"},
                      {"--removed", "0.6"},
                      {"--rate", "20"},
                      {"--policy", "lru,evicpress"},
                      {"--alpha", "0.3"}}}) {}

  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override {
    KV_ASSIGN(const auto rates, study_numbers(arguments.rates, "--rate"));
    KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
    const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
      KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
      std::vector<StudyCell> cells;
      if (arguments.bounds.itl_seconds <= 0)
        cells.push_back({.policy = "lru",
                         .budget_fraction = budgets.front(),
                         .condition = unloaded_condition,
                         .change = [](SessionSettings& settings) { settings.max_batch = 1; }});
      for (const double rate : rates)
        for (const std::string& text : split_list(arguments.policies))
          KV_TRY(add_cells(text, alphas,
                           {.policy = {}, .budget_fraction = budgets.front(), .requests_per_second = rate}, cells));
      return cells;
    };
    return run_study_figure(arguments, cells_of, [&](const StudyOutcomes& study) {
      return figure_rates(figure(), study.outcomes, arguments.bounds);
    });
  }
};

}  // namespace

const Experiment& evicpress_fig8() {
  static const RequestRates experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
