#include "core/study/load_figures.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/policy/plan_words.h"

namespace kvantage {

namespace {

Json alpha_of(const PolicyOutcome& outcome) { return outcome.alpha > 0 ? Json(outcome.alpha) : Json(); }
std::string name_of(const PolicyOutcome& outcome) {
  return outcome.alpha > 0 ? outcome.policy + " alpha " + short_number(outcome.alpha) : outcome.policy;
}

std::vector<const PolicyOutcome*> starting_with(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix,
                                                const std::string& condition) {
  std::vector<const PolicyOutcome*> found;
  for (const PolicyOutcome& outcome : outcomes)
    if (outcome.policy.starts_with(prefix) && outcome.condition == condition) found.push_back(&outcome);
  return found;
}

Json span_low(const Speedups& speedups) { return speedups.span.n > 0 ? Json(speedups.span.low) : Json(); }
Json span_high(const Speedups& speedups) { return speedups.span.n > 0 ? Json(speedups.span.high) : Json(); }

}  // namespace

FigureResult figure_rates(const std::vector<PolicyOutcome>& outcomes, double least_quality, double ttft_bound_seconds) {
  FigureResult result = begin_figure("000/8");
  result.settings = {{"least quality", least_quality}, {"bound of p95 TTFT s", ttft_bound_seconds}};
  FigureTable table{"By rate, queueing included",
                    {"policy", "alpha s", "rate 1/s", "TTFT s", "p95 TTFT s", "inter-token s", "quality", "n"}, {}};
  std::map<std::string, double> highest;
  for (const PolicyOutcome& outcome : outcomes) {
    const double quality = mean_quality(outcome).mean, p95 = ttft_with_queue_percentile(outcome, 0.95);
    table.rows.push_back({outcome.policy, alpha_of(outcome), outcome.requests_per_second, mean_ttft_with_queue(outcome).mean,
                          p95, mean_itl(outcome).mean, quality, outcome.samples.size()});
    double& rate = highest[name_of(outcome)];
    if (quality >= least_quality && p95 <= ttft_bound_seconds) rate = std::max(rate, outcome.requests_per_second);
  }
  FigureTable rates{"Highest rate within the bounds", {"policy", "rate 1/s"}, {}};
  double ours = 0, others = 0;
  std::string best_other;
  for (const auto& [name, rate] : highest) {
    rates.rows.push_back({name, rate > 0 ? Json(rate) : Json()});
    if (name.starts_with("evicpress")) {
      ours = std::max(ours, rate);
    } else if (rate > others) {
      others = rate;
      best_other = name;
    }
  }
  result.tables = {std::move(table), std::move(rates)};
  if (ours > 0 && others > 0)
    result.findings.push_back("evicpress bears " + short_number(ours / others) + " times the rate of the best other (" +
                              best_other + ", " + short_number(others) + " requests/s)");
  else
    result.findings.push_back(ours > 0 ? "no other policy stays within the bounds at any rate asked"
                                       : "evicpress stays within the bounds at no rate asked");
  return result;
}

FigureResult figure_limits(const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure("000/limits");
  FigureTable points{"Measured", {"condition", "policy", "alpha s", "TTFT s", "quality", "n"}, {}};
  FigureTable ratios{"TTFT of the other / TTFT of evicpress at equal quality", {"condition", "least", "most", "unreached"}, {}};
  std::vector<std::string> conditions;
  for (const PolicyOutcome& outcome : outcomes) {
    points.rows.push_back({outcome.condition, outcome.policy, alpha_of(outcome), mean_ttft(outcome).mean,
                           mean_quality(outcome).mean, outcome.samples.size()});
    if (std::find(conditions.begin(), conditions.end(), outcome.condition) == conditions.end())
      conditions.push_back(outcome.condition);
  }
  for (const std::string& condition : conditions) {
    auto others = starting_with(outcomes, "fixed", condition);
    for (const PolicyOutcome* lru : starting_with(outcomes, "lru", condition)) others.push_back(lru);
    const Speedups speedups = speedups_at_equal_quality(starting_with(outcomes, "evicpress", condition), others, 0.01);
    ratios.rows.push_back({condition, span_low(speedups), span_high(speedups), speedups.unreached});
    if (speedups.span.n > 0)
      result.findings.push_back(condition + ": " + short_number(speedups.span.low) + " - " + short_number(speedups.span.high) +
                                " times the best other's speed at equal quality");
  }
  result.tables = {std::move(points), std::move(ratios)};
  return result;
}

FigureResult figure_adaptcache(const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier) {
  FigureResult result = begin_figure("001/2");
  FigureTable table{"TTFT (with queueing) against quality, and hits of the fast tier",
                    {"policy", "alpha s", "TTFT s", "service s", "quality", fast_tier + " %", "n"}, {}};
  for (const PolicyOutcome& outcome : outcomes)
    table.rows.push_back({outcome.policy, alpha_of(outcome), mean_ttft_with_queue(outcome).mean, mean_ttft(outcome).mean,
                          mean_quality(outcome).mean, 100 * hit_rate(outcome, fast_tier), outcome.samples.size()});
  result.tables.push_back(std::move(table));
  const auto ours = starting_with(outcomes, "adaptcache", {});
  FigureTable ratios{"adaptcache against others, service time",
                     {"others", "speed at equal quality, least", "most", "unreached", "quality % at equal TTFT, least", "most"},
                     {}};
  for (const char* prefix : {"fixed(kivi", "fixed(streaming_llm", "lru", "full_prefill"}) {
    const auto others = starting_with(outcomes, prefix, {});
    if (others.empty() || ours.empty()) continue;
    const Speedups speed = speedups_at_equal_quality(ours, others, 0.01);
    const Speedups rise = quality_rises_at_equal_ttft(ours, others, 0.01);
    ratios.rows.push_back({std::string(prefix) + (std::string(prefix).find('(') != std::string::npos ? "...)" : ""), span_low(speed),
                           span_high(speed), speed.unreached, rise.span.n > 0 ? Json(100 * rise.span.low) : Json(),
                           rise.span.n > 0 ? Json(100 * rise.span.high) : Json()});
    if (speed.span.n > 0)
      result.findings.push_back("against " + std::string(prefix) + ": " + short_number(speed.span.low) + " - " +
                                short_number(speed.span.high) + " times the speed at equal quality");
  }
  result.tables.push_back(std::move(ratios));
  return result;
}

}  // namespace kvantage
