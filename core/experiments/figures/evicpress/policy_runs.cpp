#include "core/experiments/figures/evicpress/policy_runs.h"

#include "core/base/form_text.h"
#include "core/engine/settings_check.h"
#include "core/experiments/figures/evicpress/settings.h"

namespace kvantage::inline evicpress_figures {

std::vector<FigureSetting> policy_run_settings() {
  return {workload_setting("sensitivity-mix"),
          budgets_setting("0.1,0.2,0.33"),
          alphas_setting({}, five_alphas),
          policies_setting({},
                           "prefill, lru, lfu, s3fifo, gdsf, every fixed configuration + LRU, impress at three shares, "
                           "adaptcache, evicpress(drop=best)"),
          methods_setting({}),
          removed_setting({}),
          seeds_setting(),
          requests_setting()};
}

Expected<PolicyRuns> run_policies(const FigureArguments& arguments) {
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  PolicyRuns runs;
  const auto cells = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
    std::vector<std::string> texts = split_list(arguments.policies);
    if (texts.empty()) {
      KV_ASSIGN(auto fixed, fixed_forms(engine.settings().methods, engine.settings().removed_fractions));
      texts = compared_policies(std::move(fixed));
    }
    std::vector<StudyCell> made;
    for (const double budget : budgets)
      for (const std::string& text : texts) {
        KV_ASSIGN(const auto policy, make_servable_policy(text));
        for (const double alpha : policy->uses_alpha() ? alphas : std::vector<double>{0}) {
          StudyCell cell{.policy = text, .alpha = alpha, .budget_fraction = budget};
          if (text.starts_with("evicpress") && alpha == alphas[alphas.size() / 2])
            cell.look = [&runs, alpha](const Snapshot& snapshot) {
              const auto forms = chosen_forms(snapshot);
              runs.chosen.insert(runs.chosen.end(), forms.begin(), forms.end());
              runs.chosen_alpha = alpha;
            };
          made.push_back(std::move(cell));
        }
      }
    return made;
  };
  KV_ASSIGN(runs.study, run_cells(arguments, split_list(arguments.methods), cells));
  runs.study.settings["budgets"] = arguments.budgets;
  return runs;
}

namespace {

PaperFigure with_run_options(PaperFigure figure) {
  figure.does = about_policy_runs;
  figure.settings = policy_run_settings();
  figure.records_runs = true;
  figure.more = options_of_serving();
  return figure;
}

}  // namespace

RunsView::RunsView(PaperFigure figure, View view)
    : ServedExperiment(with_run_options(std::move(figure))), view_(view) {}

Expected<std::vector<FigureResult>> RunsView::run(const FigureArguments& arguments) const {
  KV_ASSIGN(const auto runs, run_policies(arguments));
  return std::vector<FigureResult>{of(runs)};
}

FigureResult RunsView::of(const PolicyRuns& runs) const {
  FigureResult result = view_(figure(), runs);
  add_study(result, runs.study);
  return result;
}

}  // namespace kvantage::inline evicpress_figures
