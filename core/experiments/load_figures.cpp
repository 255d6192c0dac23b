#include "core/experiments/load_figures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {

namespace {

/// Section 8 expects a smaller gain under these.
constexpr std::pair<const char*, const char*> limit_claims[] = {
    {limit_abundant_dram, "evicpress/limit-abundant-dram"},
    {limit_equal_bandwidths, "evicpress/limit-equal-bandwidths"},
    {limit_changing_bandwidth, "evicpress/limit-changing-bandwidth"}};

MeasuredSpan largest(const Speedups& speedups) { return measured_value(speedups.span.high, speedups.high_interval); }

}  // namespace

FigureResult figure_limits(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure(figure);
  FigureTable points{"Measured, 95 % intervals over contexts",
                     {"condition", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high", "n"},
                     {}};
  FigureTable ratios{"TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals over contexts",
                     {"condition", "smallest ratio", "low", "high", "largest ratio", "low", "high", "unreached"},
                     {}};
  points.plot =
      FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "condition"}};
  ratios.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                           .x = "condition",
                           .y = {"smallest ratio", "largest ratio"},
                           .y_title = "TTFT of the other / TTFT of evicpress"};
  std::vector<std::string> conditions;
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{outcome.condition, outcome.policy, alpha_of(outcome)};
    add_cells(row, mean_ttft(outcome));
    add_cells(row, mean_quality(outcome));
    row.push_back(outcome.samples.size());
    points.rows.push_back(std::move(row));
    if (std::find(conditions.begin(), conditions.end(), outcome.condition) == conditions.end())
      conditions.push_back(outcome.condition);
  }
  const bool is_papers = name_rule(result, outcomes);
  std::optional<Speedups> baseline;
  for (const std::string& condition : conditions) {
    auto others = with_prefix(outcomes, "fixed", condition);
    for (const PolicyOutcome* lru : with_prefix(outcomes, "lru", condition)) others.push_back(lru);
    const Speedups speedups =
        speedups_at_equal_quality(compared_runs(with_prefix(outcomes, "evicpress", condition)), others, 0.01);
    ratios.rows.push_back({condition, span_low(speedups), low_of(speedups.low_interval), high_of(speedups.low_interval),
                           span_high(speedups), low_of(speedups.high_interval), high_of(speedups.high_interval),
                           speedups.unreached});
    if (speedups.span.n == 0) continue;
    std::string words =
        condition + ": " + span_text(speedups) + " times the speed of the best baseline at equal quality";
    // The baseline is the run before any change.
    if (condition == conditions.front())
      baseline = speedups;
    else if (baseline)
      words += speedups.span.high < baseline->span.high ? ": a smaller maximum gain than with unchanged tiers"
                                                        : ": no smaller gain than with unchanged tiers";
    if (condition == limit_all_dram) words += "; not covered by the paper";
    const auto claim =
        std::ranges::find(limit_claims, condition, [](const auto& one) { return std::string(one.first); });
    if (baseline && is_papers && claim != std::end(limit_claims))
      add_claim(result, claim->second, quotient(largest(speedups), largest(*baseline)), true);
    result.time_findings.push_back(std::move(words));
  }
  result.tables = {std::move(points), std::move(ratios)};
  return result;
}

}  // namespace kvantage::inline experiments
