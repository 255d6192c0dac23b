// Figures evicpress/fig3 to evicpress/fig5, from quality curves, and evicpress/fig7, 9, 11, 12, from policy runs.
#include <algorithm>

#include "core/engine/settings_check.h"
#include "core/experiments/figures/study_cells.h"
#include "core/experiments/policy_figures.h"
#include "core/experiments/profile_figures.h"
#include "core/experiments/worked_example.h"

namespace kvantage::inline figures {
namespace {

/// Names of the worked example, the profile figures and the run figures, in this order.
constexpr const char* worked = "evicpress/fig2";
constexpr const char* of_curves[] = {"evicpress/fig3", "evicpress/fig4", "evicpress/fig5"};
constexpr const char* of_runs[] = {"evicpress/fig7", "evicpress/fig9", "evicpress/fig11", "evicpress/fig12"};
template <class Names>
bool among(const Names& names, const std::string& figure) {
  return std::find(std::begin(names), std::end(names), figure) != std::end(names);
}

Status figures_of_curves(const FigureArguments& arguments, const std::string& figure) {
  const std::vector<std::string> methods = split_list(arguments.methods);
  KV_ASSIGN(const auto fractions, study_numbers(arguments.removed, "--removed"));
  if (methods.empty()) return fail(ErrorCode::usage, "--methods: names none; write it like keydiff,snapkv");
  arguments.lines->expect_cells(1);
  KV_ASSIGN(const auto session, arguments.host->open_session(arguments, arguments.seed, methods));
  const auto snapshot = session->engine().snapshot();
  const std::size_t slowest = snapshot->tiers.empty() ? 0 : snapshot->tiers.size() - 1;
  FigureResult result = figure == "evicpress/fig3" ? figure_sensitivities(*snapshot, methods.front(), fractions.front())
                        : figure == "evicpress/fig4" ? figure_least_hurting(*snapshot, methods, fractions.front())
                                                     : figure_best_fractions(*snapshot, methods, slowest);
  result.settings.update(study_settings(arguments, session->engine()));
  arguments.lines->end_cell();
  arguments.host->show(result, arguments.json);
  return {};
}

Status figures_of_runs(const FigureArguments& arguments) {
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  std::vector<ChosenForm> chosen;
  double chosen_alpha = 0;
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
            cell.look = [&chosen, &chosen_alpha, alpha](const Snapshot& snapshot) {
              const auto forms = chosen_forms(snapshot);
              chosen.insert(chosen.end(), forms.begin(), forms.end());
              chosen_alpha = alpha;
            };
          made.push_back(std::move(cell));
        }
      }
    return made;
  };
  KV_ASSIGN(auto study, run_cells(arguments, split_list(arguments.methods), cells));
  study.settings["budgets"] = arguments.budgets;
  std::vector<FigureResult> results{figure_frontier(study.outcomes), figure_frontier_by_family(study.outcomes),
                                    figure_hits(study.outcomes, study.tiers),
                                    figure_choices(chosen, "evicpress", chosen_alpha)};
  for (FigureResult& result : results) {
    result.settings.update(study.settings);
    result.runs = study.runs;
    result.provenance = study.throttled ? Provenance::throttled : Provenance::measured;
    if (result.figure == arguments.figure) arguments.host->show(result, arguments.json);
  }
  if (arguments.figure == "evicpress/runs") arguments.host->show_all(results, arguments.json);
  return {};
}

}  // namespace

std::vector<std::string> policy_figures() {
  std::vector<std::string> names{worked};
  names.insert(names.end(), std::begin(of_curves), std::end(of_curves));
  names.insert(names.end(), std::begin(of_runs), std::end(of_runs));
  names.emplace_back("evicpress/runs");  // these four are views of the same runs
  for (const std::string& name : load_figures()) names.push_back(name);
  return names;
}

bool serves_sessions(const std::string& figure) {
  const auto names = policy_figures();
  return figure != worked && std::ranges::find(names, figure) != names.end();
}

Status make_figure(const FigureArguments& arguments) {
  const auto policies = policy_figures();
  if (std::ranges::find(policies, arguments.figure) != policies.end()) return reproduce_policies(arguments);
  if (is_throughput_figure(arguments.figure)) return reproduce_throughput(arguments);
  if (is_offload_figure(arguments.figure)) return reproduce_offload(arguments);
  const auto figure = std::ranges::find(decode_figures(), arguments.figure, &DecodeFigure::name);
  KV_ASSIGN(const auto runtime, ModelRuntime::load(arguments.model.empty() ? arguments.host->default_model()
                                                                           : std::filesystem::path(arguments.model)));
  return figure != decode_figures().end() ? reproduce_decode(*runtime, *figure, arguments)
                                          : reproduce_overheads(*runtime, arguments);
}

Status reproduce_policies(const FigureArguments& arguments) {
  if (arguments.figure == worked) {
    arguments.lines->expect_cells(1);
    const FigureResult result = figure_worked_example();
    arguments.lines->end_cell();
    arguments.host->show(result, arguments.json);
    return {};
  }
  const auto loads = load_figures();
  if (among(loads, arguments.figure)) return reproduce_load(arguments);
  return among(of_curves, arguments.figure) ? figures_of_curves(arguments, arguments.figure)
                                            : figures_of_runs(arguments);
}

}  // namespace kvantage::inline figures
