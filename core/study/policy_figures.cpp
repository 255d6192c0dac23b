#include "core/study/policy_figures.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/policy/plan_words.h"
#include "core/policy/utility.h"

namespace kvantage {

namespace {

using Outcomes = std::vector<const PolicyOutcome*>;
constexpr double equal_quality = 0.01, equal_ttft = 0.01, near_full = 0.03;

Outcomes with_prefix(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix, double budget_fraction) {
  Outcomes found;
  for (const PolicyOutcome& outcome : outcomes)
    if (outcome.policy.starts_with(prefix) && outcome.budget_fraction == budget_fraction) found.push_back(&outcome);
  return found;
}

std::set<double> budgets_of(const std::vector<PolicyOutcome>& outcomes) {
  std::set<double> budgets;
  for (const PolicyOutcome& outcome : outcomes) budgets.insert(outcome.budget_fraction);
  return budgets;
}

Json low_of(const PolicyMean& mean) { return mean.interval ? Json(mean.interval->low) : Json(); }
Json high_of(const PolicyMean& mean) { return mean.interval ? Json(mean.interval->high) : Json(); }

std::string span_text(const Speedups& speedups) {
  if (speedups.span.n == 0) return "none reached";
  std::string text = short_number(speedups.span.low) + " - " + short_number(speedups.span.high);
  if (speedups.unreached > 0)
    text += ", " + std::to_string(speedups.unreached) + " of " +
            std::to_string(speedups.unreached + speedups.span.n) + " unreached";
  return text;
}
std::string percent_text(Speedups speedups) {
  speedups.span.low *= 100;
  speedups.span.high *= 100;
  return span_text(speedups);
}

/// Points of evicpress that are not dominated by another of them.
Outcomes own_frontier(Outcomes ours) {
  Outcomes front;
  for (const PolicyOutcome* a : ours) {
    const bool dominated = std::any_of(ours.begin(), ours.end(), [&](const PolicyOutcome* b) {
      const double qa = mean_quality(*a).mean, qb = mean_quality(*b).mean, ta = mean_ttft(*a).mean, tb = mean_ttft(*b).mean;
      return b != a && qb >= qa && tb <= ta && (qb > qa || tb < ta);
    });
    if (!dominated) front.push_back(a);
  }
  return front;
}

Json ratio_to(const Outcomes& others, const PolicyOutcome* ours) {
  return others.empty() || ours == nullptr ? Json() : Json(mean_ttft(*others.front()).mean / mean_ttft(*ours).mean);
}

FigureTable points_table(const std::vector<PolicyOutcome>& outcomes) {
  FigureTable table{"Measured points, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "TTFT s", "low", "high", "quality", "low", "high",
                     "predicted quality", "n", "seeds"},
                    {}};
  for (const PolicyOutcome& outcome : outcomes) {
    const PolicyMean ttft = mean_ttft(outcome), quality = mean_quality(outcome);
    double predicted = 0;
    std::size_t n = 0;
    for (const PolicySample& sample : outcome.samples)
      if (sample.predicted_quality) {
        predicted += *sample.predicted_quality;
        ++n;
      }
    table.rows.push_back({100 * outcome.budget_fraction, outcome.policy, outcome.alpha > 0 ? Json(outcome.alpha) : Json(),
                          ttft.mean, low_of(ttft), high_of(ttft), quality.mean, low_of(quality), high_of(quality),
                          n > 0 ? Json(predicted / static_cast<double>(n)) : Json(), quality.n, outcome.seeds});
  }
  return table;
}

}  // namespace

FigureResult figure_frontier(const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure("000/7");
  result.tables = {points_table(outcomes)};
  FigureTable ratios{"evicpress against others (TTFT of the other / TTFT of evicpress; points of its own frontier)",
                     {"budget %", "fixed + lru, equal quality", "quality % at equal TTFT", "impress, equal quality",
                      "prefill, 3 % near full", "lru, 3 % near full", "floor s", "predicted - measured"},
                     {}};
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = own_frontier(with_prefix(outcomes, "evicpress", budget));
    const Outcomes fixed = with_prefix(outcomes, "fixed", budget), impress = with_prefix(outcomes, "impress", budget);
    const Outcomes prefill = with_prefix(outcomes, "full_prefill", budget), lru = with_prefix(outcomes, "lru", budget);
    if (ours.empty()) continue;
    const double full = prefill.empty() ? 0 : mean_quality(*prefill.front()).mean;
    const PolicyOutcome* best = prefill.empty() ? nullptr : fastest_near(ours, full, near_full);
    double question = 0, gap = 0;
    std::size_t requests = 0, judged = 0;
    for (const PolicyOutcome* our : ours)
      for (const PolicySample& sample : our->samples) {
        question += sample.question_seconds;
        ++requests;
        if (!sample.predicted_quality || !sample.quality) continue;
        gap += *sample.predicted_quality - *sample.quality;
        ++judged;
      }
    ratios.rows.push_back({100 * budget, span_text(speedups_at_equal_quality(ours, fixed, equal_quality)),
                           percent_text(quality_rises_at_equal_ttft(ours, fixed, equal_ttft)),
                           span_text(speedups_at_equal_quality(ours, impress, equal_quality)), ratio_to(prefill, best),
                           ratio_to(lru, best), requests > 0 ? Json(question / static_cast<double>(requests)) : Json(),
                           judged > 0 ? Json(gap / static_cast<double>(judged)) : Json()});
    const Speedups speedups = speedups_at_equal_quality(ours, fixed, equal_quality);
    if (speedups.span.n > 0)
      result.findings.push_back(
          "at " + short_number(100 * budget) + " % of the bytes evicpress is " + span_text(speedups) +
          " times as fast as the fastest fixed policy of its quality" +
          (speedups.span.low >= 1 ? ": at no point slower, as in the paper" : ": at some points slower, unlike in the paper"));
  }
  result.tables.push_back(std::move(ratios));
  return result;
}

FigureResult figure_frontier_by_family(const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure("000/12");
  std::set<std::string> families;
  for (const PolicyOutcome& outcome : outcomes)
    for (const PolicySample& sample : outcome.samples) families.insert(sample.family);
  FigureTable table{"evicpress against the fixed policies: TTFT of the other / TTFT of evicpress at equal quality",
                    {"budget %", "family", "least", "most", "points", "unreached"}, {}};
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = with_prefix(outcomes, "evicpress", budget), fixed = with_prefix(outcomes, "fixed", budget);
    std::size_t ahead = 0, compared = 0;
    for (const std::string& family : families) {
      const Speedups speedups = speedups_at_equal_quality(ours, fixed, equal_quality, family);
      const bool any = speedups.span.n > 0;
      table.rows.push_back({100 * budget, family, any ? Json(speedups.span.low) : Json(),
                            any ? Json(speedups.span.high) : Json(), speedups.span.n, speedups.unreached});
      compared += any ? 1 : 0;
      ahead += any && speedups.span.high > 1 ? 1 : 0;
    }
    if (compared > 0)
      result.findings.push_back("at " + short_number(100 * budget) + " % of the bytes ahead at some alpha in " +
                                std::to_string(ahead) + " of " + std::to_string(compared) + " families");
  }
  result.tables = {std::move(table)};
  return result;
}

FigureResult figure_hits(const std::vector<PolicyOutcome>& outcomes, const std::vector<std::string>& tiers) {
  FigureResult result = begin_figure("000/9");
  FigureTable table{"Share of requests by what served them", {"budget %", "policy", "alpha s", "quality"}, {}};
  for (const std::string& tier : tiers) table.columns.push_back(tier + " %");
  table.columns.push_back(std::string(write_back_source) + " %");
  table.columns.push_back("prefill %");
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, outcome.policy,
                          outcome.alpha > 0 ? Json(outcome.alpha) : Json(), mean_quality(outcome).mean};
    for (const std::string& tier : tiers) row.push_back(100 * hit_rate(outcome, tier));
    row.push_back(100 * hit_rate(outcome, write_back_source));
    row.push_back(100 * hit_rate(outcome, "prefill"));
    table.rows.push_back(std::move(row));
  }
  result.tables = {std::move(table)};
  if (tiers.empty()) return result;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = with_prefix(outcomes, "evicpress", budget), fixed = with_prefix(outcomes, "fixed", budget);
    // For every point of ours the fixed policies of at least its quality.
    std::size_t more = 0, compared = 0;
    for (const PolicyOutcome* our : ours) {
      double best = -1;
      for (const PolicyOutcome* other : fixed)
        if (mean_quality(*other).mean >= mean_quality(*our).mean * (1 - equal_quality))
          best = std::max(best, hit_rate(*other, tiers.front()));
      if (best < 0) continue;
      ++compared;
      more += hit_rate(*our, tiers.front()) > best ? 1 : 0;
    }
    if (compared > 0)
      result.findings.push_back("at " + short_number(100 * budget) + " % of the bytes " + std::to_string(more) + " of " +
                                std::to_string(compared) + " points of evicpress hit " + tiers.front() +
                                " more often than any fixed policy of their quality");
  }
  return result;
}

std::vector<ChosenForm> chosen_forms(const Snapshot& snapshot) {
  std::vector<ChosenForm> chosen;
  for (const ContextState& context : snapshot.contexts)
    if (is_placed(snapshot, context))
      chosen.push_back({snapshot.tiers[static_cast<std::size_t>(context.placement.tier)].name, context.placement.method,
                        context.placement.removed_fraction});
  return chosen;
}

FigureResult figure_choices(const std::vector<ChosenForm>& chosen, const std::string& policy, double alpha) {
  FigureResult result = begin_figure("000/11");
  result.settings = {{"policy", policy}, {"alpha", alpha}, {"placements", chosen.size()}};
  std::map<std::tuple<std::string, std::string, double>, int> counts;
  std::map<std::string, std::pair<double, int>> removed;
  std::set<std::string> methods;
  for (const ChosenForm& form : chosen) {
    ++counts[{form.tier, form.method, form.removed_fraction}];
    removed[form.tier].first += form.removed_fraction;
    ++removed[form.tier].second;
    methods.insert(form.method);
  }
  FigureTable table{"Placements", {"tier", "method", "removed fraction", "contexts"}, {}};
  for (const auto& [key, count] : counts)
    table.rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  FigureTable means{"By tier", {"tier", "contexts", "mean removed fraction"}, {}};
  for (const auto& [tier, sum] : removed) means.rows.push_back({tier, sum.second, sum.first / sum.second});
  result.tables = {std::move(table), std::move(means)};
  result.findings.push_back(std::to_string(counts.size()) + " different forms of " + std::to_string(methods.size()) +
                            " methods are in use");
  return result;
}

}  // namespace kvantage
