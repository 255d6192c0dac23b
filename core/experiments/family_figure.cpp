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

/// A share of the families, with Wilson's interval.
MeasuredSpan share_of(std::size_t count, std::size_t n) {
  return measured_value(static_cast<double>(count) / static_cast<double>(n), proportion_interval(count, n));
}

void measure_claims(FigureResult& result, const std::map<std::string, FamilyGain>& families) {
  if (families.empty()) return;
  std::vector<FamilyGain> gains;
  gains.reserve(families.size());
  for (const auto& [name, gain] : families) gains.push_back(gain);
  const auto count = [&](auto counted) {
    return share_of(static_cast<std::size_t>(std::ranges::count_if(gains, counted)), gains.size());
  };
  add_claim(result, "evicpress/tasks-improved", count([](const FamilyGain& gain) { return gain.at_every; }), true);
  add_claim(result, "evicpress/tasks-worse", count([](const FamilyGain& gain) { return !gain.at_some; }), true);
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
      {"budget %", "family", "min", "low", "high", "max", "low", "high", "points", "ahead", "unreached", "contexts"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "family",
                          .y = {"min", "max"},
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
  result.tables = {std::move(table), family_points_table(outcomes, families)};
  if (name_rule(result, outcomes)) measure_claims(result, gains);
  return result;
}

}  // namespace kvantage::inline experiments
