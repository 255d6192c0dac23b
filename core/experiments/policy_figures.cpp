#include "core/experiments/policy_figures.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline experiments {

std::vector<std::string> compared_policies(std::vector<std::string> fixed_forms) {
  std::vector<std::string> texts = std::move(fixed_forms);
  for (const char* text :
       {"full_prefill", "lru", "lfu", "s3fifo", "gdsf", "impress(kept=0.2)", "impress(kept=0.5)", "impress(kept=0.8)",
        "adaptcache", "evicpress(quality=raw)", "evicpress(start=quality,quality=raw)",
        "evicpress(drop=per_byte,quality=raw)", "evicpress", "evicpress(drop=best)", "evicpress(prices=lp)"})
    texts.emplace_back(text);
  return texts;
}

const PolicyOutcome* most_hits_at_quality_of(const PolicyOutcome& our, const Outcomes& fixed, const std::string& tier) {
  const PolicyOutcome* best = nullptr;
  for (const PolicyOutcome* other : fixed)
    if (mean_quality(*other).mean >= mean_quality(our).mean * (1 - equal_quality) &&
        (best == nullptr || hit_rate(*other, tier) > hit_rate(*best, tier)))
      best = other;
  return best;
}

namespace {

/// Ours over the other's; none where the other has no hits.
void add_hit_ratio(std::vector<MeasuredSpan>& ratios, const PolicyOutcome& our, const PolicyOutcome& other,
                   const std::string& tier) {
  if (!(hit_rate(other, tier) > 0)) return;
  ratios.push_back(measured_value(hit_rate(our, tier) / hit_rate(other, tier), hit_ratio_interval(our, other, tier)));
}

/// One table a tier, for the paper's chart: requests that the tier served against quality.
FigureTable served_table(const std::vector<PolicyOutcome>& outcomes, const std::string& tier) {
  FigureTable table{
      "Requests served from " + tier + " against quality, 95 % intervals over contexts",
      {"budget %", "policy", "alpha s", "requests served %", "low", "high", "quality", "low", "high", "n"},
      {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::scatter, .x = "requests served %", .y = {"quality"}, .by = {"policy", "budget %"}};
  table.rows.reserve(outcomes.size());
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
    add_cells(row, mean_hits(outcome, tier), 100);
    add_cells(row, mean_quality(outcome));
    row.emplace_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

FigureTable sources_table(const std::vector<PolicyOutcome>& outcomes, std::vector<std::string> sources) {
  FigureTable table{"Share of requests by source, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "quality", "low", "high"},
                    {}};
  sources.emplace_back(write_back_source);
  sources.emplace_back("prefill");
  for (const std::string& source : sources) table.columns.insert(table.columns.end(), {source + " %", "low", "high"});
  table.columns.emplace_back("n");
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
    add_cells(row, mean_quality(outcome));
    for (const std::string& source : sources) add_cells(row, mean_hits(outcome, source), 100);
    row.push_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

FigureResult figure_hits(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                         const std::vector<std::string>& tiers) {
  FigureResult result = begin_figure(figure);
  for (const std::string& tier : tiers) result.tables.push_back(served_table(outcomes, tier));
  result.tables.push_back(sources_table(outcomes, tiers));
  if (tiers.empty()) return result;
  std::vector<MeasuredSpan> fast, slow;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = compared_runs(with_prefix(outcomes, "evicpress", budget)),
                   fixed = with_prefix(outcomes, "fixed", budget);
    std::size_t more = 0, compared = 0;
    for (const PolicyOutcome* our : ours) {
      const PolicyOutcome* best = most_hits_at_quality_of(*our, fixed, tiers.front());
      if (best == nullptr) continue;
      ++compared;
      more += hit_rate(*our, tiers.front()) > hit_rate(*best, tiers.front()) ? 1 : 0;
      add_hit_ratio(fast, *our, *best, tiers.front());
      add_hit_ratio(slow, *our, *best, tiers.back());
    }
    if (compared > 0)
      result.findings.push_back("at " + short_number(100 * budget) + " % of the bytes " + std::to_string(more) +
                                " of " + std::to_string(compared) + " points of evicpress hit " + tiers.front() +
                                " more often than any fixed policy of their quality");
  }
  if (!name_rule(result, outcomes)) return result;
  add_claim(result, "evicpress/hits-fast-tier", fast);
  if (tiers.size() > 1) add_claim(result, "evicpress/hits-slow-tier", slow);
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

FigureResult figure_choices(const PaperFigure& figure, const std::vector<ChosenForm>& chosen, const std::string& policy,
                            double alpha) {
  FigureResult result = begin_figure(figure);
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
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::bars, .x = "method", .y = {"contexts"}, .by = {"tier", "removed fraction"}};
  for (const auto& [key, count] : counts)
    table.rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  FigureTable means{
      "By tier, fastest first, 95 % intervals over contexts",
      {"tier", "placements", "mean removed fraction", "low", "high", "mean % of the uncompressed bytes", "low", "high"},
      {}};
  means.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "tier", .y = {"mean % of the uncompressed bytes"}};
  std::vector<MeasuredSpan> by_tier;  // share of the uncompressed bytes
  std::size_t stronger = 0, steps = 0;
  double last = 0;
  for (const auto& [rank, tier] : tiers) {
    std::vector<Json> row{tier.name, tier.removed.size()};
    add_cells(row, {mean_of(tier.removed), bootstrap_interval(tier.removed, tier.contexts), tier.removed.size()});
    add_cells(row, {mean_of(tier.bytes), bootstrap_interval(tier.bytes, tier.contexts), tier.bytes.size()}, 100);
    means.rows.push_back(std::move(row));
    // Bits matter as much as tokens.
    const double share = mean_of(tier.bytes);
    by_tier.push_back(measured_span({share, bootstrap_interval(tier.bytes, tier.contexts), tier.bytes.size()}));
    if (&tier != &tiers.begin()->second) {
      ++steps;
      stronger += share < last ? 1 : 0;
    }
    last = share;
  }
  result.tables = {std::move(table), std::move(means)};
  result.findings.push_back(std::to_string(counts.size()) + " configurations of " + std::to_string(methods.size()) +
                            " methods are in use");
  if (steps > 0)
    result.findings.push_back(std::string("the slower tier holds the more strongly compressed caches in ") +
                              std::to_string(stronger) + " of " + std::to_string(steps) +
                              (steps == 1 ? " step" : " steps") + " from tier to tier");
  if (const auto rule = evicpress_rule(policy); !rule || !rule->is_papers) {
    result.findings.emplace_back(no_papers_rule);
    return result;
  }
  if (const auto shares = by_tier.size() > 1 ? std::optional(quotient(by_tier.front(), by_tier.back())) : std::nullopt)
    add_claim(result, "evicpress/slower-tier-more-compressed", shares);
  // Contexts are drawn: each is placed once under each budget and seed.
  std::vector<double> keydiff;
  std::vector<std::string> contexts;
  for (const ChosenForm& form : chosen) {
    const bool is_keydiff = form.method.starts_with("keydiff");
    if (!is_keydiff && !form.method.starts_with("snapkv")) continue;
    keydiff.push_back(is_keydiff ? 1 : 0);
    contexts.push_back(form.context);
  }
  if (!keydiff.empty())
    add_claim(result, "evicpress/keydiff-chosen-more-often",
              measured_value(mean_of(keydiff), bootstrap_interval(keydiff, contexts)));
  return result;
}

}  // namespace kvantage::inline experiments
