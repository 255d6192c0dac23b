// Figures 000/3 to 000/5, which quality curves decide, and 000/7, 9, 11, 12, which runs of policies decide.
#include <algorithm>
#include <cstdio>

#include "app/cli/interrupts.h"
#include "app/cli/reproduce_session.h"
#include "core/policy/frontier.h"
#include "core/study/policy_figures.h"
#include "core/study/profile_figures.h"
#include "core/study/worked_example.h"

namespace kvantage::cli {
namespace {

void print(const FigureResult& result, bool json) {
  if (json) std::printf("%s\n", to_json(result).dump(2).c_str());
  else std::printf("%s\n", to_text(result).c_str());
  std::fflush(stdout);
}

/// Names of the worked example, the profiles' and the runs' figures, in this order.
constexpr const char* worked = "000/2";
constexpr const char* of_curves[] = {"000/3", "000/4", "000/5"};
constexpr const char* of_runs[] = {"000/7", "000/9", "000/11", "000/12"};
template <class Names>
bool among(const Names& names, const std::string& figure) {
  return std::find(std::begin(names), std::end(names), figure) != std::end(names);
}

Status figures_of_curves(const ReproduceArguments& arguments, const std::string& figure) {
  const std::vector<std::string> methods = arguments.methods.empty()
                                               ? (figure == "000/3"   ? std::vector<std::string>{"keydiff"}
                                                  : figure == "000/4" ? std::vector<std::string>{"kvzip", "knorm", "snapkv"}
                                                                      : std::vector<std::string>{"keydiff", "knorm", "snapkv", "kvzip"})
                                               : split_list(arguments.methods);
  ReproduceArguments with_fractions = arguments;
  if (with_fractions.removed.empty())
    with_fractions.removed = figure == "000/3" ? "0.9" : figure == "000/4" ? "0.6" : "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9";
  const auto fractions = study_numbers(with_fractions.removed, "--removed");
  if (!fractions) return tl::unexpected(fractions.error());
  ConsoleSink console(arguments.json);
  auto session = open_study(with_fractions, arguments.seed, methods, console);
  if (!session) return tl::unexpected(session.error());
  const auto snapshot = session->engine->snapshot();
  const std::size_t slowest = snapshot->tiers.empty() ? 0 : snapshot->tiers.size() - 1;
  FigureResult result = figure == "000/3"   ? figure_sensitivities(*snapshot, methods.front(), fractions->front())
                        : figure == "000/4" ? figure_least_hurting(*snapshot, methods, fractions->front())
                                            : figure_best_fractions(*snapshot, methods, slowest);
  result.settings.update(study_settings(arguments, *session->engine));
  print(result, arguments.json);
  return {};
}

/// Policies of one budget: the text and the alphas they are run at.
struct Asked {
  std::string policy;
  std::vector<double> alphas;
};

Expected<std::vector<Asked>> policies_of(const ReproduceArguments& arguments, const Engine& engine) {
  const SessionSettings settings = engine.settings();
  std::vector<double> alphas;
  if (arguments.alphas.empty()) {
    const AlphaScale scale = alpha_scale(*engine.snapshot());
    for (const double factor : {0.03, 0.1, 0.3, 1.0, 3.0}) alphas.push_back(scale.middle * factor);
  } else {
    const auto given = study_numbers(arguments.alphas, "--alphas");
    if (!given) return tl::unexpected(given.error());
    alphas = *given;
  }
  std::vector<std::string> texts;
  if (!arguments.policies.empty()) {
    texts = split_list(arguments.policies);
  } else {
    texts = {"full_prefill", "lru"};
    for (const std::string& method : settings.methods)
      for (const double removed : settings.removed_fractions) {
        char number[32];
        std::snprintf(number, sizeof number, "%g", removed);
        texts.push_back("fixed(" + method + "," + number + ")");
      }
    for (const char* text : {"impress(0.2)", "impress(0.5)", "impress(0.8)", "evicpress(drop=best)"}) texts.push_back(text);
  }
  std::vector<Asked> asked;
  for (const std::string& text : texts) {
    const auto policy = make_policy(text);
    if (!policy) return tl::unexpected(policy.error());
    asked.push_back({text, (*policy)->knows_alpha() ? alphas : std::vector<double>{0}});
  }
  return asked;
}

Status figures_of_runs(const ReproduceArguments& arguments) {
  const auto budgets = study_numbers(arguments.budgets, "--budgets");
  if (!budgets) return tl::unexpected(budgets.error());
  std::vector<PolicyOutcome> outcomes;
  std::vector<ChosenForm> chosen;
  std::vector<std::string> tiers;
  double chosen_alpha = 0;
  bool shaped = false;
  Json settings;
  ConsoleSink console(arguments.json);
  for (int seed = 0; seed < arguments.seeds; ++seed) {
    auto session = open_study(arguments, arguments.seed + static_cast<std::uint64_t>(seed), split_list(arguments.methods), console);
    if (!session) return tl::unexpected(session.error());
    Engine& engine = *session->engine;
    const auto asked = policies_of(arguments, engine);
    if (!asked) return tl::unexpected(asked.error());
    std::size_t next = 0;
    for (const double budget : *budgets) {
      SessionSettings run = engine.settings();
      run.tiers = scaled_tiers(engine, budget);
      for (const Asked& ask : *asked)
        for (const double alpha : ask.alphas) {
          run.policy = ask.policy;
          if (alpha > 0) run.alpha = alpha;
          const auto records = run_study(*session, console, run);
          if (!records) return tl::unexpected(records.error());
          if (seed == 0) outcomes.push_back({ask.policy, alpha, budget, 0, {}});
          PolicyOutcome& outcome = outcomes[next++];
          ++outcome.seeds;
          add_records(outcome, *records, run.quality_metric);
          const bool middle = alpha > 0 && alpha == ask.alphas[ask.alphas.size() / 2];
          if (!middle || !ask.policy.starts_with("evicpress")) continue;
          const auto forms = chosen_forms(*engine.snapshot());
          chosen.insert(chosen.end(), forms.begin(), forms.end());
          chosen_alpha = alpha;
        }
    }
    tiers.clear();
    for (const TierState& tier : engine.snapshot()->tiers) {
      tiers.push_back(tier.name);
      shaped = shaped || tier.shaped;
    }
    settings = study_settings(arguments, engine);
    settings["seeds"] = arguments.seeds;
    settings["requests a run"] = engine.settings().request_limit > 0 ? engine.settings().request_limit : session->workload_requests;
    settings["budgets"] = arguments.budgets;
  }
  std::vector<FigureResult> results{figure_frontier(outcomes), figure_frontier_by_family(outcomes), figure_hits(outcomes, tiers),
                                    figure_choices(chosen, "evicpress", chosen_alpha)};
  for (FigureResult& result : results) {
    if (arguments.figure != "000/runs" && result.figure != arguments.figure) continue;
    result.settings.update(settings);
    result.provenance = shaped ? Provenance::shaped : Provenance::measured;
    print(result, arguments.json);
  }
  return {};
}

}  // namespace

std::vector<std::string> policy_figures() {
  std::vector<std::string> names{worked};
  names.insert(names.end(), std::begin(of_curves), std::end(of_curves));
  names.insert(names.end(), std::begin(of_runs), std::end(of_runs));
  names.emplace_back("000/runs");
  return names;
}

Status reproduce_policies(const ReproduceArguments& arguments) {
  if (arguments.figure == worked) {
    print(figure_worked_example(), arguments.json);
    return {};
  }
  return among(of_curves, arguments.figure) ? figures_of_curves(arguments, arguments.figure) : figures_of_runs(arguments);
}

}  // namespace kvantage::cli
