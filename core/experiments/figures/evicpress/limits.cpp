// EvicPress, section 8: limits of joint decisions.
#include <algorithm>
#include <utility>

#include "core/base/form_text.h"
#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/figures/evicpress/settings.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/studies/quality_experiment.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::inline evicpress_figures {
namespace {

constexpr const char* unchanged_tiers = "unchanged tiers";

/// Gives every byte to the first tier.
void all_in_first(SessionSettings& settings) {
  for (std::size_t t = 1; t < settings.tiers.size(); ++t) {
    const std::uint64_t bytes = std::max<std::uint64_t>(settings.tiers[t].budget.bytes(), 1);
    settings.tiers[0].budget = settings.tiers[0].budget.bytes() + bytes - 1;
    settings.tiers[t].budget = 1;  // the minimum of a tier: nothing fits
  }
}

void equal_speeds(SessionSettings& settings) {
  for (TierConfig& tier : settings.tiers) {
    tier.throttle.bytes_per_second = settings.tiers.back().throttle.bytes_per_second;
    tier.throttle.latency_seconds = settings.tiers.back().throttle.latency_seconds;
  }
}

void quarter_speed(SessionSettings& settings) {
  for (TierConfig& tier : settings.tiers) tier.throttle.bytes_per_second /= 4;
}

/// usage error for a tier whose speed cannot be set.
Status check_throttled(const Engine& engine, const std::string& figure) {
  for (const TierConfig& tier : engine.settings().tiers)
    if (!(tier.throttle.bytes_per_second > 0))
      return fail(ErrorCode::usage,
                  figure + ": tier '" + tier.name +
                      "' is not throttled, so its speed cannot be set; give a workload with throttled tiers");
  return {};
}

class Limits final : public QualityExperiment {
 public:
  Limits()
      : QualityExperiment(PaperFigure{
            .name = "evicpress/limits",
            .paper = "evicpress",
            .title = "limits of joint decisions",
            .does =
                "LRU, fixed configurations and evicpress with all budget in DRAM, with abundant DRAM, with tiers of "
                "equal bandwidth, and with the bandwidth cut to a quarter halfway through the run.",
            .expected =
                "The advantage shrinks when everything fits into the fast tier, and when tiers have similar bandwidth.",
            .published = "with abundant DRAM, and with tiers of similar bandwidth, the advantage diminishes; rapidly "
                         "changing bandwidth makes decisions suboptimal (section 8, no figures)",
            .settings = {workload_setting("sensitivity-mix"), one_value(budgets_setting("0.2"), "Budget"),
                         alphas_setting("0.3", {}),
                         policies_setting(
                             "lru,fixed(keydiff,0.5),fixed(snapkv,0.5),evicpress(quality=raw),evicpress(drop=best)"),
                         methods_setting("keydiff,knorm,snapkv"), removed_setting({}), metric_setting(),
                         seeds_setting("1"), requests_setting()},
            .records_runs = true,
            .more = options_of_serving(),
            .quick = {{"--seeds", "1"},
                      {"--limit", "2"},
                      {"--policy", "lru"},
                      {"--methods", "keydiff"},
                      {"--quality-metric", "token_f1"}},
            .brief = {{"--limit", "60"}}}) {}

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
    const double budget = budgets.front();
    const auto cells_of = [&](const Engine& engine) -> Expected<std::vector<StudyCell>> {
      KV_ASSIGN(const auto alphas, study_alphas(arguments, engine));
      KV_TRY(check_throttled(engine, figure().name));
      const std::vector<StudyCell> conditions{
          {.policy = {}, .budget_fraction = budget, .condition = unchanged_tiers},
          {.policy = {}, .budget_fraction = budget, .condition = limit_all_dram, .change = all_in_first},
          {.policy = {}, .budget_fraction = 1.05, .condition = limit_abundant_dram, .change = all_in_first},
          {.policy = {}, .budget_fraction = budget, .condition = limit_equal_bandwidths, .change = equal_speeds},
          {.policy = {}, .budget_fraction = budget, .condition = limit_changing_bandwidth, .midway = quarter_speed}};
      std::vector<StudyCell> cells;
      for (const StudyCell& condition : conditions)
        for (const std::string& text : split_policies(arguments.policies))
          KV_TRY(add_cells(text, alphas, condition, cells));
      return cells;
    };
    return run_study_figure(arguments, cells_of, [&](const StudyOutcomes& study) {
      FigureResult result = figure_limits(figure(), study.outcomes);
      study.regime.tell_limit(result, unchanged_tiers);
      return result;
    });
  }
};

}  // namespace

const Experiment& evicpress_limits() {
  static const Limits experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
