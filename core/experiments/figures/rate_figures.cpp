// Figures that vary a policy's conditions: evicpress/fig8 request rates, evicpress/fig10 drifting questions,
// evicpress/limits, and AdaptCache's adaptcache/fig2 under Poisson arrivals.
#include <algorithm>
#include <array>

#include "core/engine/settings_check.h"
#include "core/experiments/drift_figure.h"
#include "core/experiments/figures/study_cells.h"
#include "core/experiments/load_figures.h"

namespace kvantage::inline figures {
namespace {

constexpr std::array figures{"evicpress/fig8", "evicpress/fig10", "evicpress/limits", "adaptcache/fig2"};

/// One cell per alpha for a policy that uses it, else one.
Status add_cells(const std::string& text, const std::vector<double>& alphas, const StudyCell& like,
                 std::vector<StudyCell>& cells) {
  KV_ASSIGN(const auto policy, make_servable_policy(text));
  for (const double alpha : policy->uses_alpha() ? alphas : std::vector<double>{0}) {
    StudyCell cell = like;
    cell.policy = text;
    cell.alpha = alpha;
    cells.push_back(std::move(cell));
  }
  return {};
}

Status finish(FigureResult result, const StudyOutcomes& study, const FigureArguments& arguments) {
  result.settings.update(study.settings);
  result.runs = study.runs;
  result.provenance = study.throttled ? Provenance::throttled : Provenance::measured;
  arguments.host->show(result, arguments.json);
  return {};
}

Status rates(const FigureArguments& arguments, const std::vector<double>& asked_rates, double budget) {
  const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
    std::vector<StudyCell> cells;
    if (arguments.bounds.itl_seconds <= 0)
      cells.push_back({.policy = "lru",
                       .budget_fraction = budget,
                       .condition = unloaded_condition,
                       .change = [](SessionSettings& settings) { settings.max_batch = 1; }});
    for (const double rate : asked_rates)
      for (const std::string& text : split_list(arguments.policies))
        KV_TRY(add_cells(text, alphas, {.policy = {}, .budget_fraction = budget, .requests_per_second = rate}, cells));
    return cells;
  };
  KV_ASSIGN(const auto study, run_cells(arguments, split_list(arguments.methods), cells_of));
  return finish(figure_rates(study.outcomes, arguments.bounds), study, arguments);
}

/// Gives every byte to the first tier, or equal speeds to all, or changes the speeds on the way.
Status limits(const FigureArguments& arguments, double budget) {
  const auto all_in_first = [](SessionSettings& settings) {
    for (std::size_t t = 1; t < settings.tiers.size(); ++t) {
      const std::uint64_t bytes = std::max<std::uint64_t>(settings.tiers[t].budget.bytes(), 1);
      settings.tiers[0].budget = settings.tiers[0].budget.bytes() + bytes - 1;
      settings.tiers[t].budget = 1;  // the minimum of a tier: nothing fits
    }
  };
  const auto equal_speeds = [](SessionSettings& settings) {
    for (TierConfig& tier : settings.tiers) {
      tier.throttle.bytes_per_second = settings.tiers.back().throttle.bytes_per_second;
      tier.throttle.latency_seconds = settings.tiers.back().throttle.latency_seconds;
    }
  };
  const auto quarter_speed = [](SessionSettings& settings) {
    for (TierConfig& tier : settings.tiers) tier.throttle.bytes_per_second /= 4;
  };
  const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
    for (const TierConfig& tier : engine.settings().tiers)
      if (!(tier.throttle.bytes_per_second > 0))
        return fail(ErrorCode::usage,
                    "evicpress/limits: tier '" + tier.name +
                        "' is not throttled, so its speed cannot be set; give a workload with throttled tiers");
    const std::vector<StudyCell> conditions{
        {.policy = {}, .budget_fraction = budget, .condition = "unchanged tiers"},
        {.policy = {}, .budget_fraction = budget, .condition = limit_all_dram, .change = all_in_first},
        {.policy = {}, .budget_fraction = 1.05, .condition = limit_abundant_dram, .change = all_in_first},
        {.policy = {}, .budget_fraction = budget, .condition = limit_equal_bandwidths, .change = equal_speeds},
        {.policy = {}, .budget_fraction = budget, .condition = limit_changing_bandwidth, .midway = quarter_speed}};
    std::vector<StudyCell> cells;
    for (const StudyCell& condition : conditions)
      for (const std::string& text : split_list(arguments.policies)) KV_TRY(add_cells(text, alphas, condition, cells));
    return cells;
  };
  KV_ASSIGN(const auto study, run_cells(arguments, split_list(arguments.methods), cells_of));
  return finish(figure_limits(study.outcomes), study, arguments);
}

Status adaptcache(const FigureArguments& arguments, double rate, double budget) {
  const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
    KV_ASSIGN(const auto fixed, fixed_forms(engine.settings().methods, engine.settings().removed_fractions));
    std::vector<std::string> texts{"full_prefill", "lru"};
    texts.insert(texts.end(), fixed.begin(), fixed.end());
    texts.emplace_back("adaptcache");
    const auto asked = split_list(arguments.policies);
    std::vector<StudyCell> cells;
    for (const std::string& text : asked.empty() ? texts : asked)
      KV_TRY(add_cells(text, alphas, {.policy = {}, .budget_fraction = budget, .requests_per_second = rate}, cells));
    return cells;
  };
  KV_ASSIGN(const auto study, run_cells(arguments, split_list(arguments.methods), cells_of));
  return finish(figure_adaptcache(study.outcomes, study.tiers.empty() ? "" : study.tiers.front()), study, arguments);
}

Status drift(const FigureArguments& arguments, double rate) {
  const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
    std::vector<double> alphas{engine.settings().alpha};
    if (!arguments.alphas.empty()) {
      KV_ASSIGN(const auto given, study_alphas(arguments, engine));
      alphas = given;
    }
    std::vector<StudyCell> cells;
    for (const bool reprofile : {true, false})
      for (const std::string& text : split_list(arguments.policies))
        KV_TRY(add_cells(text, alphas,
                         {.policy = {},
                          .requests_per_second = rate,
                          .condition = reprofile ? "re-profiled" : "profiled once",
                          .change =
                              [reprofile, threshold = arguments.reprofile_threshold](SessionSettings& settings) {
                                settings.reprofile = reprofile;
                                settings.reprofile_threshold = threshold;
                              }},
                         cells));
    return cells;
  };
  KV_ASSIGN(const auto study, run_cells(arguments, split_list(arguments.methods), cells_of));
  return finish(figure_drift(study.outcomes), study, arguments);
}

}  // namespace

std::vector<std::string> load_figures() { return {figures.begin(), figures.end()}; }

Status reproduce_load(const FigureArguments& arguments) {
  KV_ASSIGN(const auto rate_list, study_numbers(arguments.rates, "--rate"));
  if (arguments.figure == "evicpress/fig10")
    return drift(arguments, rate_list.front());  // under the workload's own budgets
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  const double budget = budgets.front();
  if (arguments.figure == "evicpress/fig8") return rates(arguments, rate_list, budget);
  if (arguments.figure == "evicpress/limits") return limits(arguments, budget);
  return adaptcache(arguments, rate_list.front(), budget);
}

}  // namespace kvantage::inline figures
