// AdaptCache figures 1 and 2: delay against quality and hits of the fast tier, under Poisson arrivals.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/form_text.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/policy_figures.h"
#include "core/policy/plan_text.h"
#include "core/workload/regimes/regimes.h"

namespace kvantage::inline experiments {
namespace {

constexpr double accepted_loss = 0.15;  // of quality, in the paper's comparison with prefill and plain offloading

// As rule_of(). Claims are about the first one.
constexpr std::string_view papers_rule = "utility=described", printed_rule = "utility=printed";

// Of the paper's coding task, the only one that it gives hit rates for.
constexpr std::string_view coding_family = "code";

/// Whether all requests are of the coding task.
bool is_coding(const std::vector<PolicyOutcome>& outcomes) {
  const auto is_code = [](const PolicySample& sample) { return sample.family == coding_family; };
  return !outcomes.empty() && std::ranges::all_of(outcomes, [&](const PolicyOutcome& outcome) {
    return std::ranges::all_of(outcome.samples, is_code);
  });
}

/// Those of one budget, or of all.
Outcomes of_policy(const std::vector<PolicyOutcome>& outcomes, const char* prefix, std::optional<double> budget = {}) {
  return budget ? with_prefix(outcomes, prefix, *budget) : with_prefix(outcomes, prefix, std::string());
}

/// By which adaptcache chose, of its policy's text: the reading of its utility, and what is not the paper's, such as
/// "utility=described, pool=session". The paper's pool is not the policy's default, its qualities by data set are.
std::string rule_of(const std::string& policy) {
  const auto form = FormText::read(policy, "policy");
  const auto has = [&](std::string_view value) {
    return form && std::ranges::any_of(form->arguments(), [&](const FormText::Argument& argument) {
             return trimmed(argument.value) == value;
           });
  };
  std::string rule(has("printed") ? printed_rule : papers_rule);
  if (!has("paper")) rule += ", pool=session";
  if (has("context")) rule += ", quality=context";
  return rule;
}

/// Runs of adaptcache by one rule under one budget.
Outcomes adaptcache_by(const std::vector<PolicyOutcome>& outcomes, std::string_view rule, double budget) {
  Outcomes found = of_policy(outcomes, "adaptcache", budget);
  std::erase_if(found, [&](const PolicyOutcome* outcome) { return rule_of(outcome->policy) != rule; });
  return found;
}

/// Of runs of adaptcache, in the order of their first run.
std::vector<std::string> rules_of(const Outcomes& ours) {
  std::vector<std::string> rules;
  rules.reserve(ours.size());
  for (const PolicyOutcome* our : ours)
    if (std::string rule = rule_of(our->policy); std::ranges::find(rules, rule) == rules.end())
      rules.push_back(std::move(rule));
  return rules;
}

/// The budget that claims are measured at, so that they are about the same quantity whatever other budgets ran: that of
/// the regime's preset, or the middle one. At least one outcome.
double claims_budget(const std::vector<PolicyOutcome>& outcomes) {
  const std::set<double> budgets = budgets_of(outcomes);
  const Regime* regime = regime_named("adaptcache-regime");
  const double preset = regime != nullptr ? regime->preset_percent / 100 : 0;
  const auto is_preset = [&](double budget) { return std::abs(budget - preset) < 1e-9; };
  const auto found = std::ranges::find_if(budgets, is_preset);
  return found != budgets.end() ? *found : *std::next(budgets.begin(), static_cast<std::ptrdiff_t>(budgets.size() / 2));
}

FigureTable points_table(const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier) {
  FigureTable table{"TTFT (with queueing) against quality, and hits of the fast tier, 95 % intervals over contexts",
                    {"budget %", "policy", "alpha s", "TTFT s", "low", "high", "service s", "low", "high", "quality",
                     "low", "high", fast_tier + " %", "low", "high", "n", "quality by chance"},
                    {}};
  table.plot = FigurePlot{
      .kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "budget %", "alpha s"}};
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{100 * outcome.budget_fraction, outcome.policy, alpha_of(outcome)};
    add_cells(row, mean_ttft_with_queue(outcome));
    add_cells(row, mean_ttft(outcome));
    add_cells(row, mean_quality(outcome));
    add_cells(row, mean_hits(outcome, fast_tier), 100);
    row.push_back(outcome.samples.size());
    row.push_back(chance_of(outcome));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Hits of the fast tier as its budget grows: what a run under one budget cannot show.
FigureTable hits_table(const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier) {
  FigureTable table{"Hits of the fast tier against its budget, 95 % intervals over contexts",
                    {"policy", "alpha s", "budget %", fast_tier + " %", "low", "high"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "budget %",
                          .y = {fast_tier + " %"},
                          .y_title = "requests that " + fast_tier + " served, %",
                          .by = {"policy", "alpha s"}};
  if (is_coding(outcomes))
    table.plot->published = {{"paper: adaptcache, first weight", nullptr, 81, 81},
                             {"paper: adaptcache, second weight", nullptr, 56, 56},
                             {"paper: adaptcache, third weight", nullptr, 44, 44},
                             {"paper: adaptcache, fourth weight", nullptr, 11, 11},
                             {"paper: KIVI at 2 bits", nullptr, 38, 38}};
  for (const PolicyOutcome& outcome : outcomes) {
    if (outcome.policy == "full_prefill") continue;
    std::vector<Json> row{outcome.policy, alpha_of(outcome), 100 * outcome.budget_fraction};
    add_cells(row, mean_hits(outcome, fast_tier), 100);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "at 5 % of the bytes: ", where budgets differ.
std::string under(const std::vector<PolicyOutcome>& outcomes, double budget) {
  return budgets_of(outcomes).size() > 1 ? "at " + short_number(100 * budget) + " % of the bytes: " : "";
}

/// "by the printed formula: ", "by the rule utility=described, pool=session: "; empty for the paper's.
std::string by(const std::string& rule) {
  if (rule == papers_rule) return {};
  return rule == printed_rule ? "by the printed formula: " : "by the rule " + rule + ": ";
}

/// Comparisons at equal quality and at equal TTFT, by one kind of time.
struct Ratios {
  FigureTable table;
  std::vector<std::string> findings = {};
};

/// `ours`, all of one rule and budget, against policies whose text begins with `prefix`.
void add_ratio(Ratios& ratios, const Outcomes& ours, const Outcomes& others, const std::string& prefix,
               const std::string& where) {
  const Speedups speed = speedups_at_equal_quality(ours, others, equal_quality);
  const Speedups rise = quality_rises_at_equal_ttft(ours, others, equal_ttft);
  const std::string name = prefix + (prefix.find('(') != std::string::npos ? "...)" : "");
  std::vector<Json> row{name};
  add_comparison(row, speed, rise);
  row.emplace_back(rule_of(ours.front()->policy));
  row.emplace_back(100 * ours.front()->budget_fraction);
  ratios.table.rows.push_back(std::move(row));
  const std::string against = where + "against " + name + ": ";
  if (speed.span.n > 0) ratios.findings.push_back(against + span_text(speed) + " times the speed at equal quality");
  if (rise.span.n > 0) ratios.findings.push_back(against + span_text(rise, 100) + " % more quality at equal TTFT");
}

/// adaptcache under each budget and by each of its rules against each kind of the others, by their `ttft_seconds`.
Ratios ratios_of(const std::vector<PolicyOutcome>& outcomes, const char* title) {
  Ratios ratios{{title, comparison_columns({"others"}), {}}};
  for (const char* column : {"rule", "budget %"}) ratios.table.columns.emplace_back(column);
  for (const double budget : budgets_of(outcomes))
    for (const std::string& rule : rules_of(of_policy(outcomes, "adaptcache", budget))) {
      const Outcomes ours = adaptcache_by(outcomes, rule, budget);
      const std::string where = under(outcomes, budget) + by(rule);
      for (const char* prefix : {"fixed(kivi", "fixed(streaming_llm", "lru", "full_prefill"}) {
        const Outcomes others = of_policy(outcomes, prefix, budget);
        if (!others.empty()) add_ratio(ratios, ours, others, prefix, where);
      }
    }
  return ratios;
}

/// The comparisons that claims are of, with queueing, and those of service time beside them.
void add_ratios(FigureResult& result, const std::vector<PolicyOutcome>& service,
                const std::vector<PolicyOutcome>& from_arrival) {
  Ratios ratios =
      ratios_of(from_arrival, "adaptcache against others, TTFT with queueing, 95 % intervals over contexts");
  ratios.table.plot = comparison_plot("others", {"rule", "budget %"});
  result.tables.push_back(std::move(ratios.table));
  result.time_findings.insert(result.time_findings.end(), ratios.findings.begin(), ratios.findings.end());
  result.tables.push_back(
      ratios_of(service, "adaptcache against others, service time, 95 % intervals over contexts").table);
}

/// The qualities of these comparisons as bars of their own, beside the paper's: a table has one plot. No rows where
/// there is none at equal TTFT.
FigureTable rises_table(const FigureTable& ratios) {
  const auto first = static_cast<std::size_t>(std::ranges::find(ratios.columns, "quality % at equal TTFT, min") -
                                              ratios.columns.begin());
  const auto last = first + 6;  // both ends with their intervals
  FigureTable table{"Quality of adaptcache above others at equal TTFT, with queueing, 95 % intervals over contexts",
                    {"others", "rule", "budget %"},
                    {}};
  for (std::size_t c = first; c < last; ++c) table.columns.push_back(ratios.columns.at(c));
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "others",
                          .y = {table.columns[3], table.columns[6]},
                          .y_title = "quality above the others, %",
                          .by = {"rule", "budget %"},
                          .published = {{"paper: fixed compression", nullptr, 6, 55},
                                        {"paper: StreamingLLM", "fixed(streaming_llm...)", 15, 89}}};
  for (const auto& from : ratios.rows) {
    if (from.at(first).is_null()) continue;
    std::vector<Json> row{from.front(), from.at(from.size() - 2), from.back()};
    for (std::size_t c = first; c < last; ++c) row.push_back(from.at(c));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Of `ours` the run with most hits, beside the fixed configuration with most hits at its quality.
std::string hits_text(const Outcomes& ours, const Outcomes& fixed, const std::string& fast_tier) {
  const auto hits = [&](const PolicyOutcome* outcome) { return hit_rate(*outcome, fast_tier); };
  const auto percent = [&](const PolicyOutcome* outcome) { return short_number(100 * hits(outcome)) + " %"; };
  const PolicyOutcome* best = std::ranges::max(ours, {}, hits);
  const std::string text = name_of(*best) + " hits " + fast_tier + " on " + percent(best) + " of requests" +
                           interval_text(mean_hits(*best, fast_tier).interval, 100);
  const PolicyOutcome* other = most_hits_at_quality_of(*best, fixed, fast_tier);
  if (other == nullptr) return text + "; no fixed configuration has its quality";
  return text + "; the best fixed configuration of its quality, " + name_of(*other) + ", on " + percent(other) +
         interval_text(mean_hits(*other, fast_tier).interval, 100);
}

/// Its figure 1: hits of the fast tier compared with those of fixed configurations of the same budget and quality.
/// Claims are measured at the budget `claimed`.
void add_hits(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier,
              double claimed) {
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = adaptcache_by(outcomes, papers_rule, budget), fixed = of_policy(outcomes, "fixed", budget);
    if (ours.empty() || fixed.empty()) continue;
    result.findings.push_back(under(outcomes, budget) + hits_text(ours, fixed, fast_tier));
    if (budget != claimed) continue;
    std::vector<MeasuredSpan> ratios, of_ours;
    ratios.reserve(ours.size());
    of_ours.reserve(ours.size());
    for (const PolicyOutcome* our : ours) {
      of_ours.push_back(measured_span(mean_hits(*our, fast_tier)));
      const PolicyOutcome* other = most_hits_at_quality_of(*our, fixed, fast_tier);
      if (other != nullptr && hit_rate(*other, fast_tier) > 0)
        ratios.push_back(measured_value(hit_rate(*our, fast_tier) / hit_rate(*other, fast_tier),
                                        hit_ratio_interval(*our, *other, fast_tier)));
    }
    add_claim(result, "adaptcache/hits-fast-device", ratios);
    if (!is_coding(outcomes)) continue;
    add_claim(result, "adaptcache/hit-rate-adaptcache", of_ours);
    if (const Outcomes two_bits = of_policy(outcomes, "fixed(kivi2", budget); !two_bits.empty())
      add_claim(result, "adaptcache/hit-rate-kivi2",
                std::optional(measured_span(mean_hits(*two_bits.front(), fast_tier))));
  }
}

/// How long hits of the slow tier wait for its bytes, by policy.
FigureTable loads_table(const std::vector<PolicyOutcome>& outcomes, const std::string& slow_tier) {
  FigureTable table{"Mean load time of hits of the slow tier, 95 % intervals over contexts",
                    {"policy", "alpha s", "budget %", "load ms", "low", "high", "hits"},
                    {}};
  table.rows.reserve(outcomes.size());
  for (const PolicyOutcome& outcome : outcomes) {
    const PolicyMean load = mean_load(outcome, slow_tier);
    if (load.n == 0) continue;
    std::vector<Json> row{outcome.policy, alpha_of(outcome), 100 * outcome.budget_fraction};
    add_cells(row, load, 1e3);
    row.emplace_back(load.n);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Its figure 1: against the fixed configuration of our quality with most hits of the fast tier.
void add_loads(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier,
               const std::string& slow_tier, double claimed) {
  const Outcomes fixed = of_policy(outcomes, "fixed", claimed), ours = adaptcache_by(outcomes, papers_rule, claimed);
  std::vector<MeasuredSpan> ratios;
  ratios.reserve(ours.size());
  for (const PolicyOutcome* our : ours) {
    const PolicyOutcome* other = most_hits_at_quality_of(*our, fixed, fast_tier);
    if (other == nullptr) continue;
    const PolicyMean load = mean_load(*our, slow_tier), theirs = mean_load(*other, slow_tier);
    if (load.mean > 0 && theirs.mean > 0) ratios.push_back(quotient(measured_span(load), measured_span(theirs)));
  }
  if (!ratios.empty()) add_claim(result, "adaptcache/disk-loading-time", ratios, true);
}

/// 1 - 1 / speedup: by how much a time is lower.
std::optional<MeasuredSpan> saving_of(const std::optional<MeasuredSpan>& speedup) {
  if (!speedup) return {};
  const auto saved = [](const std::optional<Interval>& interval) {
    return interval ? std::optional(Interval{1 - 1 / interval->low, 1 - 1 / interval->high}) : std::nullopt;
  };
  return MeasuredSpan{1 - 1 / speedup->low, 1 - 1 / speedup->high, saved(speedup->low_interval),
                      saved(speedup->high_interval)};
}

/// TTFT of prefill, and of lru where it ran, over that of the fastest adaptcache that loses at most `accepted_loss`.
std::vector<MeasuredSpan> speedups_near_prefill(const std::vector<PolicyOutcome>& outcomes, double budget) {
  const Outcomes prefill = of_policy(outcomes, "full_prefill", budget);
  if (prefill.empty()) return {};
  const PolicyOutcome* best =
      fastest_near(adaptcache_by(outcomes, papers_rule, budget), mean_quality(*prefill.front()).mean, accepted_loss);
  if (best == nullptr) return {};
  Outcomes uncompressed = of_policy(outcomes, "lru", budget);
  uncompressed.push_back(prefill.front());
  std::vector<MeasuredSpan> speedups;
  speedups.reserve(uncompressed.size());
  for (const PolicyOutcome* other : uncompressed)
    speedups.push_back(
        measured_value(mean_ttft(*other).mean / mean_ttft(*best).mean, ttft_ratio_interval(*other, *best)));
  return speedups;
}

/// Of what ran under one budget, timed_from_arrival().
void measure_times(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, double budget) {
  const Outcomes ours = adaptcache_by(outcomes, papers_rule, budget);
  const auto others = [&](const std::vector<const char*>& prefixes) {
    Outcomes all;
    for (const char* prefix : prefixes) {
      const Outcomes some = of_policy(outcomes, prefix, budget);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  const auto speed = [&](const std::vector<const char*>& prefixes) {
    return measured_span(std::vector<Speedups>{speedups_at_equal_quality(ours, others(prefixes), equal_quality)});
  };
  const auto rise = [&](const std::vector<const char*>& prefixes) {
    return measured_span(std::vector<Speedups>{quality_rises_at_equal_ttft(ours, others(prefixes), equal_ttft)});
  };
  for (const char* claim : {"adaptcache/delay-vs-static", "adaptcache/delay-vs-strongest-fixed"})
    add_claim(result, claim, speed({"fixed"}), true);
  for (const char* claim : {"adaptcache/quality-vs-static", "adaptcache/quality-vs-strongest-fixed"})
    add_claim(result, claim, rise({"fixed"}), true);
  add_claim(result, "adaptcache/ttft-vs-all-baselines", speed({"fixed", "lru", "full_prefill"}), true);
  add_claim(result, "adaptcache/ttft-vs-kivi", saving_of(speed({"fixed(kivi"})), true);
  add_claim(result, "adaptcache/quality-vs-streaming-llm", rise({"fixed(streaming_llm"}), true);
  if (const auto speedups = speedups_near_prefill(outcomes, budget); !speedups.empty())
    add_claim(result, "adaptcache/ttft-vs-prefill-and-offloading", saving_of(span_of(speedups)), true);
}

/// Which of the runs claims are about.
void tell_claimed(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, double claimed) {
  if (of_policy(outcomes, "adaptcache").empty()) return;
  result.findings.emplace_back(
      "claims are about utility=described: the paper's text makes utility the product of frequency and alpha * "
      "quality - delay; its formula, utility=printed, leaves the delay outside of the product");
  result.findings.emplace_back("claims and comparisons take TTFT with queueing, from arrival to the first token");
  if (adaptcache_by(outcomes, papers_rule, claimed).empty())
    result.findings.emplace_back(
        "the paper's rule was not run, which is adaptcache(pool=paper): no claim of the paper is compared");
  else if (budgets_of(outcomes).size() > 1)
    result.findings.push_back("claims are measured at " + short_number(100 * claimed) + " % of the bytes");
}

}  // namespace

std::vector<PolicyOutcome> timed_from_arrival(std::vector<PolicyOutcome> outcomes) {
  for (PolicyOutcome& outcome : outcomes)
    for (PolicySample& sample : outcome.samples) sample.ttft_seconds = sample.arrival_to_token_seconds;
  return outcomes;
}

FigureResult figure_adaptcache(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                               const std::string& fast_tier, const std::string& slow_tier) {
  FigureResult result = begin_figure(figure);
  const std::vector<PolicyOutcome> from_arrival = timed_from_arrival(outcomes);
  result.tables.push_back(points_table(outcomes, fast_tier));
  add_ratios(result, outcomes, from_arrival);
  FigureTable rises = rises_table(result.tables.at(1));
  if (budgets_of(outcomes).size() > 1) result.tables.push_back(hits_table(outcomes, fast_tier));
  if (!rises.rows.empty()) result.tables.push_back(std::move(rises));
  if (outcomes.empty()) return result;
  if (!slow_tier.empty()) result.tables.push_back(loads_table(outcomes, slow_tier));
  const double claimed = claims_budget(outcomes);
  add_hits(result, outcomes, fast_tier, claimed);
  if (!slow_tier.empty()) add_loads(result, outcomes, fast_tier, slow_tier, claimed);
  if (!adaptcache_by(outcomes, papers_rule, claimed).empty()) measure_times(result, from_arrival, claimed);
  tell_claimed(result, outcomes, claimed);
  return result;
}

}  // namespace kvantage::inline experiments
