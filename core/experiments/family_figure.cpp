// EvicPress figure 12: the speedup of evicpress over the fixed policies in every family.
#include <algorithm>
#include <map>
#include <set>

#include "core/experiments/blocks.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

/// One family under one budget, where fixed policies and evicpress were both run.
struct FamilyGain {
  double tokens = 0;  // of a context, mean
  std::optional<double> speedup;
  bool at_some = false, at_every = false;  // ahead at some alpha, at every alpha
};

/// A share of pairs of family and budget, with Wilson's interval.
MeasuredSpan share_of(std::size_t count, std::size_t n) {
  const double share = static_cast<double>(count) / static_cast<double>(n);
  const Interval interval = proportion_interval(count, n);
  return {share, share, interval, interval};
}

void measure_claims(FigureResult& result, std::vector<FamilyGain> gains) {
  if (gains.empty()) return;
  const auto count = [&](auto counted) {
    return share_of(static_cast<std::size_t>(std::ranges::count_if(gains, counted)), gains.size());
  };
  add_measured(result, "evicpress/tasks-improved", count([](const FamilyGain& gain) { return gain.at_every; }), true);
  add_measured(result, "evicpress/tasks-worse", count([](const FamilyGain& gain) { return !gain.at_some; }), true);
  // The gain of the shorter half over that of the longer half.
  std::ranges::sort(gains, {}, &FamilyGain::tokens);
  std::vector<double> shorter, longer;
  for (std::size_t i = 0; i < gains.size(); ++i)
    if (gains[i].speedup) (2 * i < gains.size() ? shorter : longer).push_back(*gains[i].speedup);
  if (!shorter.empty() && !longer.empty())
    add_measured(result, "evicpress/short-contexts-gain-more", quotient(measured_mean(shorter), measured_mean(longer)),
                 true);
}

}  // namespace

FigureResult figure_frontier_by_family(const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure("evicpress/fig12");
  std::set<std::string> families;
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples) families.insert(sample.family);
  FigureTable table{
      "evicpress against the fixed policies: TTFT of the other / TTFT of evicpress at equal quality, 95 % intervals "
      "over contexts",
      {"budget %", "family", "min", "low", "high", "max", "low", "high", "points", "ahead", "unreached", "contexts"},
      {}};
  std::vector<FamilyGain> gains;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = with_prefix(outcomes, "evicpress", budget), fixed = with_prefix(outcomes, "fixed", budget);
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
      FamilyGain gain;
      for (const auto& [context, tokens] : contexts)
        gain.tokens += static_cast<double>(tokens) / static_cast<double>(contexts.size());
      if (any) gain.speedup = speedups.span.high;
      // A point whose quality no fixed policy reaches is ahead of all of them.
      gain.at_some = speedups.ahead + speedups.unreached > 0;
      gain.at_every = speedups.ahead + speedups.unreached == ours.size();
      ++compared;
      at_some += gain.at_some ? 1 : 0;
      at_every += gain.at_every ? 1 : 0;
      gains.push_back(gain);
    }
    if (compared > 0)
      result.time_findings.push_back(
          "at " + short_number(100 * budget) +
          " % of the bytes faster than every fixed policy of equal quality at every alpha in " +
          std::to_string(at_every) + " of " + std::to_string(compared) + " families, at some alpha in " +
          std::to_string(at_some) + " (a quality that no fixed policy reaches counts)");
  }
  result.tables = {std::move(table)};
  measure_claims(result, std::move(gains));
  return result;
}

}  // namespace kvantage::inline experiments
