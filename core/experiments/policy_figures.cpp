#include "core/experiments/policy_figures.h"
#include "core/experiments/paper_figures.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/experiments/figure_text.h"
#include "core/experiments/frontier_findings.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline experiments {

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

/// Pareto-optimal points of evicpress.
Outcomes own_frontier(Outcomes ours) {
  Outcomes front;
  for (const PolicyOutcome* a : ours) {
    const bool dominated = std::any_of(ours.begin(), ours.end(), [&](const PolicyOutcome* b) {
      const double qa = mean_quality(*a).mean, qb = mean_quality(*b).mean, ta = mean_ttft(*a).mean,
                   tb = mean_ttft(*b).mean;
      return b != a && qb >= qa && tb <= ta && (qb > qa || tb < ta);
    });
    if (!dominated) front.push_back(a);
  }
  return front;
}

/// TTFT of the other over ours, and its interval; nothing where either is missing.
std::optional<NearFull> near_full_speed(const Outcomes& others, const PolicyOutcome* ours) {
  if (others.empty() || ours == nullptr) return {};
  return NearFull{mean_ttft(*others.front()).mean / mean_ttft(*ours).mean, ttft_ratio_interval(*others.front(), *ours)};
}
void add_near_full(std::vector<Json>& row, const std::optional<NearFull>& near) {
  if (near)
    row.insert(row.end(), {Json(near->speed), low_of(near->interval), high_of(near->interval)});
  else
    row.insert(row.end(), {Json(), Json(), Json()});
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
    table.rows.push_back({100 * outcome.budget_fraction, outcome.policy, alpha_of(outcome), ttft.mean,
                          low_of(ttft.interval), high_of(ttft.interval), quality.mean, low_of(quality.interval),
                          high_of(quality.interval), n > 0 ? Json(predicted / static_cast<double>(n)) : Json(),
                          quality.n, outcome.seeds});
  }
  return table;
}

}  // namespace

std::vector<std::string> compared_policies(std::vector<std::string> fixed_forms) {
  std::vector<std::string> texts = std::move(fixed_forms);
  for (const char* text : {"full_prefill", "lru", "lfu", "s3fifo", "gdsf", "impress(kept=0.2)", "impress(kept=0.5)",
                           "impress(kept=0.8)", "adaptcache", "evicpress(drop=best)"})
    texts.emplace_back(text);
  return texts;
}

FigureResult figure_frontier(const std::vector<PolicyOutcome>& outcomes) {
  FigureResult result = begin_figure("evicpress/fig7");
  result.tables = {points_table(outcomes)};
  if (std::ranges::any_of(outcomes, [](const PolicyOutcome& outcome) { return outcome.policy.starts_with("impress"); }))
    result.settings["impress"] =
        "stores only the important fraction of each context; the paper's loads it from a fully stored entry";
  FigureTable ratios{
      "evicpress against others (TTFT of the other / TTFT of evicpress; points of its own frontier; 95 % intervals in "
      "brackets)",
      {"budget %", "fixed + lru, equal quality", "quality % at equal TTFT", "impress, equal quality",
       "impress, quality % at equal TTFT", "prefill, 3 % near full", "low", "high", "lru, 3 % near full", "low", "high",
       "floor s", "predicted - measured"},
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
    const Speedups fixed_speed = speedups_at_equal_quality(ours, fixed, equal_quality),
                   fixed_rise = quality_rises_at_equal_ttft(ours, fixed, equal_ttft);
    const Speedups impress_speed = speedups_at_equal_quality(ours, impress, equal_quality),
                   impress_rise = quality_rises_at_equal_ttft(ours, impress, equal_ttft);
    FrontierComparison compared{.budget_fraction = budget,
                                .full_quality_known = !prefill.empty(),
                                .prefill = near_full_speed(prefill, best),
                                .lru = near_full_speed(lru, best)};
    if (!fixed.empty()) {
      compared.fixed_speed = fixed_speed;
      compared.fixed_rise = fixed_rise;
    }
    if (!impress.empty()) {
      compared.impress_speed = impress_speed;
      compared.impress_rise = impress_rise;
    }
    std::vector<Json> row{100 * budget, span_text(fixed_speed), span_text(fixed_rise, 100), span_text(impress_speed),
                          span_text(impress_rise, 100)};
    add_near_full(row, compared.prefill);
    add_near_full(row, compared.lru);
    row.push_back(requests > 0 ? Json(question / static_cast<double>(requests)) : Json());
    row.push_back(judged > 0 ? Json(gap / static_cast<double>(judged)) : Json());
    ratios.rows.push_back(std::move(row));
    for (std::string& finding : frontier_findings(compared)) result.time_findings.push_back(std::move(finding));
  }
  result.tables.push_back(std::move(ratios));
  return result;
}

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
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = with_prefix(outcomes, "evicpress", budget), fixed = with_prefix(outcomes, "fixed", budget);
    std::size_t at_some = 0, at_every = 0, compared = 0;
    for (const std::string& family : families) {
      const Speedups speedups = speedups_at_equal_quality(ours, fixed, equal_quality, family);
      const bool any = speedups.span.n > 0;
      std::set<std::string> contexts;
      for (const PolicyOutcome* our : ours)
        for (const PolicySample& sample : our->samples)
          if (sample.family == family) contexts.insert(sample.context);
      table.rows.push_back({100 * budget, family, any ? Json(speedups.span.low) : Json(), low_of(speedups.low_interval),
                            high_of(speedups.low_interval), any ? Json(speedups.span.high) : Json(),
                            low_of(speedups.high_interval), high_of(speedups.high_interval), speedups.span.n,
                            speedups.ahead, speedups.unreached, contexts.size()});
      // A point whose quality no fixed policy reaches is ahead of all of them.
      if (ours.empty() || fixed.empty()) continue;
      ++compared;
      at_some += speedups.ahead + speedups.unreached > 0 ? 1 : 0;
      at_every += speedups.ahead + speedups.unreached == ours.size() ? 1 : 0;
    }
    if (compared > 0)
      result.time_findings.push_back(
          "at " + short_number(100 * budget) +
          " % of the bytes faster than every fixed policy of equal quality at every alpha in " +
          std::to_string(at_every) + " of " + std::to_string(compared) + " families, at some alpha in " +
          std::to_string(at_some) + " (a quality that no fixed policy reaches counts)" +
          (12 * at_every >= 11 * compared  ? ": as in the paper, ahead in 11 of 12 or more"
           : 12 * at_some >= 11 * compared ? ": as in the paper (11 of 12) only with the best alpha of each family"
                                           : ": in fewer than in the paper (11 of 12)"));
  }
  result.tables = {std::move(table)};
  return result;
}

FigureResult figure_hits(const std::vector<PolicyOutcome>& outcomes, const std::vector<std::string>& tiers) {
  FigureResult result = begin_figure("evicpress/fig9");
  FigureTable table{"Share of requests by source, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "quality", "low", "high"},
                    {}};
  std::vector<std::string> sources = tiers;
  sources.emplace_back(write_back_source);
  sources.emplace_back("prefill");
  for (const std::string& source : sources) table.columns.insert(table.columns.end(), {source + " %", "low", "high"});
  table.columns.emplace_back("n");
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, outcome.policy, alpha_of(outcome)};
    add_cells(row, mean_quality(outcome));
    for (const std::string& source : sources) add_cells(row, mean_hits(outcome, source), 100);
    row.push_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  result.tables = {std::move(table)};
  if (tiers.empty()) return result;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = with_prefix(outcomes, "evicpress", budget), fixed = with_prefix(outcomes, "fixed", budget);
    // For each of our points, the fixed policies of at least its quality.
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
      result.findings.push_back("at " + short_number(100 * budget) + " % of the bytes " + std::to_string(more) +
                                " of " + std::to_string(compared) + " points of evicpress hit " + tiers.front() +
                                " more often than any fixed policy of their quality" + agreement(more, compared));
  }
  return result;
}

std::vector<ChosenForm> chosen_forms(const Snapshot& snapshot) {
  std::vector<ChosenForm> chosen;
  for (const ContextState& context : snapshot.contexts)
    if (is_placed(snapshot, context))
      chosen.push_back(
          {snapshot.tiers[static_cast<std::size_t>(context.placement.tier)].name, context.placement.method,
           context.placement.removed_fraction, context.id, static_cast<std::size_t>(context.placement.tier),
           context.full_bytes > 0 ? static_cast<double>(context.stored_bytes) / static_cast<double>(context.full_bytes)
                                  : 0});
  return chosen;
}

FigureResult figure_choices(const std::vector<ChosenForm>& chosen, const std::string& policy, double alpha) {
  FigureResult result = begin_figure("evicpress/fig11");
  result.settings = {{"policy", policy}, {"alpha", alpha}, {"placements", chosen.size()}};
  struct OnTier {
    std::string name;
    std::vector<double> removed, bytes;
    std::vector<std::string> contexts;
  };
  std::map<std::tuple<std::string, std::string, double>, int> counts;
  std::map<std::size_t, OnTier> tiers;
  std::set<std::string> methods;
  for (const ChosenForm& form : chosen) {
    ++counts[{form.tier, form.method, form.removed_fraction}];
    OnTier& tier = tiers[form.tier_rank];
    tier.name = form.tier;
    tier.removed.push_back(form.removed_fraction);
    tier.bytes.push_back(form.bytes_share);
    tier.contexts.push_back(form.context);
    methods.insert(form.method);
  }
  FigureTable table{"Placements", {"tier", "method", "removed fraction", "contexts"}, {}};
  for (const auto& [key, count] : counts)
    table.rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  FigureTable means{
      "By tier, fastest first, 95 % intervals over contexts",
      {"tier", "placements", "mean removed fraction", "low", "high", "mean % of the uncompressed bytes", "low", "high"},
      {}};
  std::size_t stronger = 0, steps = 0;
  double last = 0;
  for (const auto& [rank, tier] : tiers) {
    std::vector<Json> row{tier.name, tier.removed.size()};
    add_cells(row, {mean_of(tier.removed), bootstrap_interval(tier.removed, tier.contexts), tier.removed.size()});
    add_cells(row, {mean_of(tier.bytes), bootstrap_interval(tier.bytes, tier.contexts), tier.bytes.size()}, 100);
    means.rows.push_back(std::move(row));
    // Bits matter as much as tokens.
    const double share = mean_of(tier.bytes);
    if (&tier != &tiers.begin()->second) {
      ++steps;
      stronger += share < last ? 1 : 0;
    }
    last = share;
  }
  result.tables = {std::move(table), std::move(means)};
  result.findings.push_back(
      std::to_string(counts.size()) + " configurations of " + std::to_string(methods.size()) + " methods are in use" +
      (methods.size() > 1 && counts.size() > 2 ? ": a mix, as in the paper" : ": no broad mix, unlike in the paper"));
  if (steps > 0)
    result.findings.push_back(std::string("the slower tier holds the more strongly compressed caches in ") +
                              std::to_string(stronger) + " of " + std::to_string(steps) +
                              (steps == 1 ? " step" : " steps") + " from tier to tier" + agreement(stronger, steps));
  return result;
}

}  // namespace kvantage::inline experiments
