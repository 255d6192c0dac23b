#include "core/experiments/policy_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/bootstrap.h"
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

namespace {

// Share of the contexts' bytes that DRAM holds in the setting of the paper: figure 9 is of Qwen2.5-14B and figure 11 of
// Mistral-7B (docs/figures.md, regimes).
constexpr double hits_budget = 0.05, choices_budget = 0.08;

/// The budget that claims are measured at: the nearest to the paper's, the smaller of two equally near. At least one.
double claimed_budget(const std::set<double>& budgets, double papers) {
  return *std::ranges::min_element(budgets, {}, [&](double budget) { return std::abs(budget - papers); });
}

void tell_claimed_budget(FigureResult& result, const std::set<double>& budgets, double claimed) {
  if (budgets.size() > 1)
    result.findings.push_back("claims are measured at " + short_number(100 * claimed) + " % of the bytes");
}

struct ServingTier {
  std::string name;
  bool is_fastest = false;
};

/// How much of a request the tier served: all or nothing, but by bytes where a hit in chunks read copies, which are on
/// the fastest tier.
double served_share(const PolicySample& sample, const ServingTier& tier) {
  const double copies = sample.chunks ? sample.chunks->copies : 0;
  return (sample.source == tier.name ? 1 - copies : 0) + (tier.is_fastest ? copies : 0);
}

PolicyMean mean_served(const PolicyOutcome& outcome, const ServingTier& tier) {
  std::vector<double> shares;
  std::vector<std::string> contexts;
  shares.reserve(outcome.samples.size());
  contexts.reserve(outcome.samples.size());
  for (const PolicySample& sample : outcome.samples) {
    shares.push_back(served_share(sample, tier));
    contexts.push_back(sample.context);
  }
  return {mean_of(shares), share_interval(shares, contexts), shares.size()};
}

/// Only the mean: the interval is computed only where it is shown.
double share_served(const PolicyOutcome& outcome, const ServingTier& tier) {
  double sum = 0;
  for (const PolicySample& sample : outcome.samples) sum += served_share(sample, tier);
  return outcome.samples.empty() ? 0 : sum / static_cast<double>(outcome.samples.size());
}

/// A difference, not a ratio: it is defined where the other has no hits. None where neither has any.
void add_difference(std::vector<MeasuredSpan>& differences, const PolicyOutcome& our, const PolicyOutcome& other,
                    const ServingTier& tier) {
  const double ours = share_served(our, tier), theirs = share_served(other, tier);
  if (ours > 0 || theirs > 0)
    differences.push_back(measured_value(
        ours - theirs,
        difference_interval(our, other, [&tier](const PolicySample& one) { return served_share(one, tier); })));
}

/// One table a tier, for the paper's chart: requests that the tier served against quality.
FigureTable served_table(const std::vector<PolicyOutcome>& outcomes, const ServingTier& tier) {
  FigureTable table{
      "Requests served from " + tier.name + " against quality, 95 % intervals over contexts",
      {"budget %", "policy", "alpha s", "requests served %", "low", "high", "quality", "low", "high", "n"},
      {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::scatter, .x = "requests served %", .y = {"quality"}, .by = {"policy", "budget %"}};
  table.rows.reserve(outcomes.size());
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
    add_cells(row, mean_served(outcome, tier), 100);
    add_cells(row, mean_quality(outcome));
    row.emplace_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

FigureTable sources_table(const std::vector<PolicyOutcome>& outcomes, std::vector<ServingTier> sources) {
  FigureTable table{"Share of requests by source, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "quality", "low", "high"},
                    {}};
  sources.push_back({write_back_source});
  sources.push_back({"prefill"});
  for (const ServingTier& source : sources)
    table.columns.insert(table.columns.end(), {source.name + " %", "low", "high"});
  table.columns.emplace_back("n");
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, policy_text(outcome), alpha_of(outcome)};
    add_cells(row, mean_quality(outcome));
    for (const ServingTier& source : sources) add_cells(row, mean_served(outcome, source), 100);
    row.push_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

const PolicyOutcome* most_hits_at_quality_of(const PolicyOutcome& our, const Outcomes& others,
                                             const std::string& fast_tier) {
  const PolicyOutcome* best = nullptr;
  for (const PolicyOutcome* other : others)
    if (mean_quality(*other).mean >= mean_quality(our).mean * (1 - equal_quality) &&
        (best == nullptr || share_served(*other, {fast_tier, true}) > share_served(*best, {fast_tier, true})))
      best = other;
  return best;
}

FigureResult figure_hits(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                         const std::vector<std::string>& tiers) {
  FigureResult result = begin_figure(figure);
  std::vector<ServingTier> serving;
  serving.reserve(tiers.size());
  for (const std::string& tier : tiers) serving.push_back({tier, serving.empty()});
  for (const ServingTier& tier : serving) result.tables.push_back(served_table(outcomes, tier));
  result.tables.push_back(sources_table(outcomes, serving));
  const std::set<double> budgets = budgets_of(outcomes);
  if (tiers.empty() || budgets.empty()) return result;
  const double claimed = claimed_budget(budgets, hits_budget);
  std::vector<MeasuredSpan> fast, slow;
  for (const double budget : budgets) {
    const Outcomes ours = compared_runs(with_prefix(outcomes, "evicpress", budget)),
                   impress = with_prefix(outcomes, "impress", budget);
    Outcomes others = with_prefix(outcomes, "fixed", budget);
    others.insert(others.end(), impress.begin(), impress.end());
    std::size_t more = 0, compared = 0;
    for (const PolicyOutcome* our : ours) {
      const PolicyOutcome* best = most_hits_at_quality_of(*our, others, tiers.front());
      if (best == nullptr) continue;
      ++compared;
      more += share_served(*our, serving.front()) > share_served(*best, serving.front()) ? 1 : 0;
      if (budget != claimed) continue;
      add_difference(fast, *our, *best, serving.front());
      if (serving.size() > 1) add_difference(slow, *our, *best, serving[1]);  // the SSD, not the remote tier
    }
    if (compared > 0)
      result.findings.push_back("at " + short_number(100 * budget) + " % of the bytes " + std::to_string(more) +
                                " of " + std::to_string(compared) + " points of evicpress hit " + tiers.front() +
                                " more often than any fixed policy and impress of their quality");
  }
  if (!name_rule(result, outcomes)) return result;
  tell_claimed_budget(result, budgets, claimed);
  add_claim(result, "evicpress/hits-fast-tier", fast);
  add_claim(result, "evicpress/hits-slow-tier", slow);
  return result;
}

std::vector<ChosenForm> chosen_forms(const Snapshot& snapshot, double budget_fraction) {
  std::vector<ChosenForm> chosen;
  for (const ContextState& context : snapshot.contexts)
    if (is_placed(snapshot, context))
      chosen.push_back(
          {snapshot.tiers[static_cast<std::size_t>(context.placement.tier)].name, context.placement.method,
           context.placement.removed_fraction, context.id, static_cast<std::size_t>(context.placement.tier),
           context.full_bytes > 0 ? static_cast<double>(context.stored_bytes) / static_cast<double>(context.full_bytes)
                                  : 0,
           budget_fraction});
  return chosen;
}

namespace {

/// Placements on one tier under one budget.
struct OnTier {
  std::string name;
  std::vector<double> removed, bytes;
  std::vector<std::string> contexts;
};
using ByTier = std::map<std::pair<double, std::size_t>, OnTier>;  // by budget and rank

ByTier by_tier(const std::vector<ChosenForm>& chosen) {
  ByTier tiers;
  for (const ChosenForm& form : chosen) {
    OnTier& tier = tiers[{form.budget_fraction, form.tier_rank}];
    tier.name = form.tier;
    tier.removed.push_back(form.removed_fraction);
    tier.bytes.push_back(form.bytes_share);
    tier.contexts.push_back(form.context);
  }
  return tiers;
}

Json budget_cell(double fraction) { return fraction > 0 ? Json(100 * fraction) : Json(); }

FigureTable placements_table(const std::vector<ChosenForm>& chosen, std::size_t budgets) {
  std::map<std::tuple<double, std::string, std::string, double>, int> counts;
  for (const ChosenForm& form : chosen) ++counts[{form.budget_fraction, form.tier, form.method, form.removed_fraction}];
  FigureTable table{"Placements", {"tier", "method", "removed fraction", "contexts", "budget %"}, {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::bars, .x = "method", .y = {"contexts"}, .by = {"tier", "removed fraction"}};
  if (budgets > 1) table.plot->by.emplace_back("budget %");
  table.rows.reserve(counts.size());
  for (const auto& [key, count] : counts) {
    const auto& [budget, tier, method, removed] = key;
    table.rows.push_back({tier, method, removed, count, budget_cell(budget)});
  }
  return table;
}

/// Bits matter as much as tokens: bytes, too.
FigureTable tiers_table(const ByTier& tiers, std::size_t budgets) {
  FigureTable means{"By tier, fastest first, 95 % intervals over contexts",
                    {"tier", "placements", "mean removed fraction", "low", "high", "mean % of the uncompressed bytes",
                     "low", "high", "budget %"},
                    {}};
  means.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "tier", .y = {"mean % of the uncompressed bytes"}};
  if (budgets > 1) means.plot->by = {"budget %"};
  means.rows.reserve(tiers.size());
  for (const auto& [key, tier] : tiers) {
    std::vector<Json> row{tier.name, tier.removed.size()};
    add_cells(row, {mean_of(tier.removed), bootstrap_interval(tier.removed, tier.contexts), tier.removed.size()});
    add_cells(row, {mean_of(tier.bytes), bootstrap_interval(tier.bytes, tier.contexts), tier.bytes.size()}, 100);
    row.push_back(budget_cell(key.first));
    means.rows.push_back(std::move(row));
  }
  return means;
}

void tell_choices(FigureResult& result, const std::vector<ChosenForm>& chosen, const ByTier& tiers) {
  std::set<std::tuple<std::string, std::string, double>> configurations;
  std::set<std::string> methods;
  for (const ChosenForm& form : chosen) {
    configurations.insert({form.tier, form.method, form.removed_fraction});
    methods.insert(form.method);
  }
  result.findings.push_back(std::to_string(configurations.size()) + " configurations of " +
                            std::to_string(methods.size()) + " methods are in use");
  std::size_t stronger = 0, steps = 0;
  for (auto tier = tiers.begin(); tier != tiers.end(); ++tier) {
    const auto next = std::next(tier);
    if (next == tiers.end() || next->first.first != tier->first.first) continue;
    ++steps;
    stronger += mean_of(next->second.bytes) < mean_of(tier->second.bytes) ? 1 : 0;
  }
  if (steps > 0)
    result.findings.push_back(std::string("the slower tier holds the more strongly compressed caches in ") +
                              std::to_string(stronger) + " of " + std::to_string(steps) +
                              (steps == 1 ? " step" : " steps") + " from tier to tier");
}

/// Share of the uncompressed bytes; nothing where the tier holds nothing.
std::optional<MeasuredSpan> bytes_on(const ByTier& tiers, double budget, std::size_t rank) {
  const auto tier = tiers.find({budget, rank});
  if (tier == tiers.end()) return {};
  const std::vector<double>& bytes = tier->second.bytes;
  const std::vector<std::string>& contexts = tier->second.contexts;
  return measured_value(mean_of(bytes), bootstrap_interval(bytes, contexts),
                        std::set<std::string>(contexts.begin(), contexts.end()).size());
}

/// Of the placements under one budget. Contexts are drawn: each is placed once under each seed.
void measure_choices(FigureResult& result, const std::vector<ChosenForm>& chosen, const ByTier& tiers, double budget) {
  // The paper's disk and CPU, not the remote tier.
  const auto cpu = bytes_on(tiers, budget, 0), disk = bytes_on(tiers, budget, 1);
  if (cpu && disk) add_claim(result, "evicpress/slower-tier-more-compressed", std::optional(quotient(*cpu, *disk)));
  std::vector<double> keydiff;
  std::vector<std::string> contexts;
  for (const ChosenForm& form : chosen) {
    const bool is_keydiff = form.method.starts_with("keydiff");
    if (form.budget_fraction != budget || (!is_keydiff && !form.method.starts_with("snapkv"))) continue;
    keydiff.push_back(is_keydiff ? 1 : 0);
    contexts.push_back(form.context);
  }
  if (!keydiff.empty())
    add_claim(result, "evicpress/keydiff-chosen-more-often",
              measured_value(mean_of(keydiff), share_interval(keydiff, contexts),
                             std::set<std::string>(contexts.begin(), contexts.end()).size()));
}

}  // namespace

FigureResult figure_choices(const PaperFigure& figure, const std::vector<ChosenForm>& chosen, const std::string& policy,
                            double alpha) {
  FigureResult result = begin_figure(figure);
  result.settings = {{"policy", policy}, {"alpha", alpha}, {"placements", chosen.size()}};
  std::set<double> budgets;
  for (const ChosenForm& form : chosen) budgets.insert(form.budget_fraction);
  const ByTier tiers = by_tier(chosen);
  result.tables = {placements_table(chosen, budgets.size()), tiers_table(tiers, budgets.size())};
  tell_choices(result, chosen, tiers);
  if (const auto rule = evicpress_rule(policy); !rule || !rule->is_papers) {
    result.findings.emplace_back(no_papers_rule);
    return result;
  }
  if (budgets.empty()) return result;
  const double claimed = claimed_budget(budgets, choices_budget);
  tell_claimed_budget(result, budgets, claimed);
  measure_choices(result, chosen, tiers, claimed);
  return result;
}

}  // namespace kvantage::inline experiments
