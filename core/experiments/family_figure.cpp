// EvicPress figure 12: the speedup of evicpress over the fixed policies in every family.
#include <algorithm>
#include <map>
#include <set>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

/// One family over all budgets, where fixed policies and evicpress were both run.
struct FamilyGain {
  double tokens = 0;                      // of a context, mean
  std::vector<double> speedups = {};      // the largest under each budget
  bool at_some = false, at_every = true;  // ahead at some alpha of some budget, at every alpha of every budget
};

constexpr const char* ahead_everywhere = "at every alpha";
constexpr const char* ahead_nowhere = "at no alpha";

/// A share of the families, with Wilson's interval.
MeasuredSpan share_of(std::size_t count, std::size_t n) {
  return measured_value(static_cast<double>(count) / static_cast<double>(n), proportion_interval(count, n));
}

/// Shares of the families in which evicpress is ahead at every alpha, and at none.
struct FamilyShares {
  MeasuredSpan improved, worse;
};
FamilyShares shares_of(const std::map<std::string, FamilyGain>& families) {
  const auto share = [&](auto counted) {
    return share_of(static_cast<std::size_t>(std::ranges::count_if(families, counted)), families.size());
  };
  return {share([](const auto& one) { return one.second.at_every; }),
          share([](const auto& one) { return !one.second.at_some; })};
}

/// The paper's number is of 12 tasks, each with its one trade-off.
FigureTable shares_table(const std::map<std::string, FamilyGain>& families) {
  FigureTable table{"Families by whether evicpress is ahead of every fixed policy, Wilson's 95 % intervals",
                    {"evicpress is ahead", "% of the families", "low", "high", "families"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "evicpress is ahead",
                          .y = {"% of the families"},
                          .published = {{"paper: 11 of 12 tasks", ahead_everywhere, 91.7, 91.7},
                                        {"paper: 1 of 12 tasks", ahead_nowhere, 8.3, 8.3}}};
  if (families.empty()) return table;
  const FamilyShares shares = shares_of(families);
  for (const auto& [name, share] : {std::pair{ahead_everywhere, shares.improved}, {ahead_nowhere, shares.worse}}) {
    std::vector<Json> row{name};
    add_interval_cells(row, scaled(share, 100));
    row.emplace_back(families.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

void measure_claims(FigureResult& result, const std::map<std::string, FamilyGain>& families) {
  if (families.empty()) return;
  const FamilyShares shares = shares_of(families);
  add_claim(result, "evicpress/tasks-improved", shares.improved, true);
  add_claim(result, "evicpress/tasks-worse", shares.worse, true);
  std::vector<FamilyGain> gains;
  gains.reserve(families.size());
  for (const auto& [name, gain] : families) gains.push_back(gain);
  // The gain of the shorter half over that of the longer half, one value a family.
  std::ranges::sort(gains, {}, &FamilyGain::tokens);
  std::vector<double> shorter, longer;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (!gains[i].speedups.empty()) (2 * i < gains.size() ? shorter : longer).push_back(mean_of(gains[i].speedups));
  if (!shorter.empty() && !longer.empty())
    add_claim(result, "evicpress/short-contexts-gain-more", quotient(measured_mean(shorter), measured_mean(longer)),
              true);
}

FigureTable family_points_table(const std::vector<PolicyOutcome>& outcomes, const std::set<std::string>& families) {
  FigureTable table{"Measured points by family, 95 % intervals over contexts",
                    {"family", "budget %", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "family"}};
  for (const std::string& family : families)
    for (const PolicyOutcome& outcome : outcomes) {
      std::vector<Json> row{family, 100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
      add_cells(row, mean_ttft(outcome, family));
      add_cells(row, mean_quality(outcome, family));
      table.rows.push_back(std::move(row));
    }
  return table;
}

}  // namespace

FigureResult figure_frontier_by_family(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure(figure);
  std::set<std::string> families;
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples) families.insert(sample.family);
  FigureTable table{
      "evicpress against the fixed policies: TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals "
      "over contexts",
      {"budget %", "family", "smallest ratio", "low", "high", "largest ratio", "low", "high", "points", "ahead",
       "unreached", "contexts"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "family",
                          .y = {"smallest ratio", "largest ratio"},
                          .y_title = "TTFT of the other / TTFT of evicpress",
                          .by = {"budget %"}};
  std::map<std::string, FamilyGain> gains;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = compared_runs(with_prefix(outcomes, "evicpress", budget)),
                   fixed = with_prefix(outcomes, "fixed", budget);
    std::size_t at_some = 0, at_every = 0, compared = 0;
    for (const std::string& family : families) {
      const Speedups speedups = speedups_at_equal_quality(ours, fixed, equal_quality, family);
      const bool any = speedups.span.n > 0;
      std::map<std::string, int> contexts;
      for (const PolicyOutcome* our : ours)
        for (const PolicySample& sample : our->samples)
          if (sample.family == family) contexts[sample.context] = sample.context_tokens;
      table.rows.push_back({100 * budget, family, any ? Json(speedups.span.low) : Json(), low_of(speedups.low_interval),
                            high_of(speedups.low_interval), any ? Json(speedups.span.high) : Json(),
                            low_of(speedups.high_interval), high_of(speedups.high_interval), speedups.span.n,
                            speedups.ahead, speedups.unreached, contexts.size()});
      if (ours.empty() || fixed.empty()) continue;
      FamilyGain& gain = gains[family];
      gain.tokens = 0;
      for (const auto& [context, tokens] : contexts)
        gain.tokens += static_cast<double>(tokens) / static_cast<double>(contexts.size());
      if (any) gain.speedups.push_back(speedups.span.high);
      // A point whose quality no fixed policy reaches is ahead of all of them.
      const bool some = speedups.ahead + speedups.unreached > 0;
      const bool every = speedups.ahead + speedups.unreached == ours.size();
      gain.at_some = gain.at_some || some;
      gain.at_every = gain.at_every && every;
      ++compared;
      at_some += some ? 1 : 0;
      at_every += every ? 1 : 0;
    }
    if (compared > 0)
      result.time_findings.push_back(
          "at " + short_number(100 * budget) +
          " % of the bytes faster than every fixed policy of equal quality at every alpha in " +
          std::to_string(at_every) + " of " + std::to_string(compared) + " families, at some alpha in " +
          std::to_string(at_some) + " (a quality that no fixed policy reaches counts)");
  }
  result.tables = {std::move(table), family_points_table(outcomes, families), shares_table(gains)};
  if (name_rule(result, outcomes)) measure_claims(result, gains);
  return result;
}

}  // namespace kvantage::inline experiments
