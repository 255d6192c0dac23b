// EvicPress, figures 7, 9, 11 and 12 from the same runs.
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/policy_runs.h"
#include "core/experiments/figures/evicpress/settings.h"

namespace kvantage::inline evicpress_figures {
namespace {

class Runs final : public QualityExperiment {
 public:
  Runs()
      : QualityExperiment(
            PaperFigure{.name = "evicpress/runs",
                        .paper = "evicpress",
                        .title = "figures 7, 9, 11 and 12 from the same runs",
                        .does = about_policy_runs,
                        .expected = "See evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12.",
                        .published = "see evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12",
                        .settings = policy_run_settings(),
                        .records_runs = true,
                        .more = options_of_serving(),
                        .quick = {{"--seeds", "1"},
                                  {"--limit", "4"},
                                  {"--methods", "keydiff,kivi4"},
                                  {"--policy", "full_prefill,lru,fixed(keydiff,0.6),evicpress(quality=raw)"},
                                  {"--alpha", "0.3"},
                                  {"--budgets", "0.5"},
                                  {"--quality-metric", "token_f1"}},
                        .brief = {{"--budgets", "0.08"}, {"--limit", "108"}}}) {}

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    KV_ASSIGN(const auto runs, run_policies(arguments));
    std::vector<FigureResult> results;
    results.reserve(4);
    for (const auto view : {frontier_view, frontier_by_family_view, hits_view, choices_view})
      results.push_back(view().of(runs));
    return results;
  }
};

}  // namespace

const Experiment& evicpress_runs() {
  static const Runs experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
