// AdaptCache figures 1 and 2: delay against quality and hits of the fast tier, under Poisson arrivals.
#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/form_text.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

constexpr double accepted_loss = 0.15;  // of quality, in the paper's comparison with prefill and plain offloading

// The readings of AdaptCache's utility: parameter `utility` of its policy. Claims are about the first one.
constexpr std::string_view described = "described", printed = "printed";

/// Those of one budget, or of all.
Outcomes of_policy(const std::vector<PolicyOutcome>& outcomes, const char* prefix, std::optional<double> budget = {}) {
  return budget ? with_prefix(outcomes, prefix, *budget) : with_prefix(outcomes, prefix, std::string());
}

/// Of the text of an adaptcache policy.
std::string_view reading_of(const std::string& policy) {
  const auto form = FormText::read(policy, "policy");
  if (!form) return described;
  const auto is_printed = [](const FormText::Argument& argument) { return argument.value == printed; };
  return std::ranges::any_of(form->arguments(), is_printed) ? printed : described;
}

/// Runs of adaptcache by one reading, of one budget or of all.
Outcomes adaptcache_by(const std::vector<PolicyOutcome>& outcomes, std::string_view reading,
                       std::optional<double> budget = {}) {
  Outcomes found = of_policy(outcomes, "adaptcache", budget);
  std::erase_if(found, [&](const PolicyOutcome* outcome) { return reading_of(outcome->policy) != reading; });
  return found;
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
                          .by = {"policy", "alpha s"},
                          .published = {{"paper: adaptcache, first weight", nullptr, 81, 81},
                                        {"paper: adaptcache, second weight", nullptr, 56, 56},
                                        {"paper: adaptcache, third weight", nullptr, 44, 44},
                                        {"paper: adaptcache, fourth weight", nullptr, 11, 11},
                                        {"paper: KIVI at 2 bits", nullptr, 38, 38}}};
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

/// `ours`, all of one reading and budget, against policies whose text begins with `prefix`.
void add_ratio(FigureResult& result, FigureTable& ratios, const Outcomes& ours, const Outcomes& others,
               const std::string& prefix, const std::string& where) {
  const Speedups speed = speedups_at_equal_quality(ours, others, equal_quality);
  const Speedups rise = quality_rises_at_equal_ttft(ours, others, equal_ttft);
  const std::string name = prefix + (prefix.find('(') != std::string::npos ? "...)" : "");
  std::vector<Json> row{name,
                        span_low(speed),
                        low_of(speed.low_interval),
                        high_of(speed.low_interval),
                        span_high(speed),
                        low_of(speed.high_interval),
                        high_of(speed.high_interval),
                        speed.unreached};
  add_cells(row, {rise.span.low, rise.low_interval, rise.span.n}, 100);
  add_cells(row, {rise.span.high, rise.high_interval, rise.span.n}, 100);
  row.emplace_back("utility=" + std::string(reading_of(ours.front()->policy)));
  row.emplace_back(100 * ours.front()->budget_fraction);
  ratios.rows.push_back(std::move(row));
  const std::string against = where + "against " + name + ": ";
  if (speed.span.n > 0)
    result.time_findings.push_back(against + span_text(speed) + " times the speed at equal quality");
  if (rise.span.n > 0) result.time_findings.push_back(against + span_text(rise, 100) + " % more quality at equal TTFT");
}

/// adaptcache under each budget and by each reading of its utility against each kind of the others.
void add_ratios(FigureResult& result, const std::vector<PolicyOutcome>& outcomes) {
  FigureTable ratios{"adaptcache against others, service time, 95 % intervals over contexts",
                     {"others", "speed at equal quality, min", "low", "high", "speed at equal quality, max", "low",
                      "high", "unreached", "quality % at equal TTFT, min", "low", "high",
                      "quality % at equal TTFT, max", "low", "high", "rule", "budget %"},
                     {}};
  ratios.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                           .x = "others",
                           .y = {"speed at equal quality, min", "speed at equal quality, max"},
                           .y_title = "TTFT of the others / TTFT of adaptcache",
                           .by = {"rule", "budget %"},
                           .published = {{"paper: fixed compression", nullptr, 1.43, 2.4}}};
  for (const double budget : budgets_of(outcomes))
    for (const std::string_view reading : {described, printed}) {
      const Outcomes ours = adaptcache_by(outcomes, reading, budget);
      const std::string where = under(outcomes, budget) + (reading == printed ? "by the printed formula: " : "");
      for (const char* prefix : {"fixed(kivi", "fixed(streaming_llm", "lru", "full_prefill"}) {
        const Outcomes others = of_policy(outcomes, prefix, budget);
        if (!others.empty() && !ours.empty()) add_ratio(result, ratios, ours, others, prefix, where);
      }
    }
  result.tables.push_back(std::move(ratios));
}

/// Its figure 1: hits of the fast tier compared with those of the strongest fixed configuration of the same budget.
void add_hits(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier) {
  std::vector<MeasuredSpan> ratios, of_ours, of_two_bits;
  for (const double budget : budgets_of(outcomes)) {
    const Outcomes ours = adaptcache_by(outcomes, described, budget), fixed = of_policy(outcomes, "fixed", budget);
    if (ours.empty() || fixed.empty()) continue;
    const auto hits = [&](const PolicyOutcome* outcome) { return hit_rate(*outcome, fast_tier); };
    const PolicyOutcome* best = std::ranges::max(ours, {}, hits);
    const PolicyOutcome* other = std::ranges::max(fixed, {}, hits);
    result.findings.push_back(
        under(outcomes, budget) + name_of(*best) + " hits " + fast_tier + " on " + short_number(100 * hits(best)) +
        " % of requests" + interval_text(mean_hits(*best, fast_tier).interval, 100) +
        "; the best fixed configuration, " + name_of(*other) + ", on " + short_number(100 * hits(other)) + " %" +
        interval_text(mean_hits(*other, fast_tier).interval, 100));
    if (hits(other) > 0)
      ratios.push_back(measured_value(hits(best) / hits(other), hit_ratio_interval(*best, *other, fast_tier)));
    for (const PolicyOutcome* our : ours) of_ours.push_back(measured_span(mean_hits(*our, fast_tier)));
    if (const Outcomes two_bits = of_policy(outcomes, "fixed(kivi2", budget); !two_bits.empty())
      of_two_bits.push_back(measured_span(mean_hits(*two_bits.front(), fast_tier)));
  }
  add_claim(result, "adaptcache/hits-fast-device", ratios);
  add_claim(result, "adaptcache/hit-rate-adaptcache", of_ours);
  add_claim(result, "adaptcache/hit-rate-kivi2", of_two_bits);
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

/// Times of prefill, and of lru where it ran, over that of the fastest adaptcache that loses at most `accepted_loss`.
void add_savings(std::vector<MeasuredSpan>& speedups, const std::vector<PolicyOutcome>& outcomes, double budget) {
  const Outcomes prefill = of_policy(outcomes, "full_prefill", budget);
  if (prefill.empty()) return;
  const PolicyOutcome* best =
      fastest_near(adaptcache_by(outcomes, described, budget), mean_quality(*prefill.front()).mean, accepted_loss);
  if (best == nullptr) return;
  Outcomes uncompressed = of_policy(outcomes, "lru", budget);
  uncompressed.push_back(prefill.front());
  for (const PolicyOutcome* other : uncompressed)
    speedups.push_back(
        measured_value(mean_ttft(*other).mean / mean_ttft(*best).mean, ttft_ratio_interval(*other, *best)));
}

/// Over all budgets; compared is what ran under the same one.
void measure_times(FigureResult& result, const std::vector<PolicyOutcome>& outcomes) {
  const auto over = [&](const std::vector<const char*>& prefixes, const auto& compare) {
    std::vector<Speedups> all;
    for (const double budget : budgets_of(outcomes)) {
      Outcomes others;
      for (const char* prefix : prefixes) {
        const Outcomes some = of_policy(outcomes, prefix, budget);
        others.insert(others.end(), some.begin(), some.end());
      }
      all.push_back(compare(adaptcache_by(outcomes, described, budget), others));
    }
    return measured_span(all);
  };
  const auto speed = [&](const std::vector<const char*>& prefixes) {
    return over(prefixes, [](const Outcomes& ours, const Outcomes& others) {
      return speedups_at_equal_quality(ours, others, equal_quality);
    });
  };
  const auto rise = [&](const std::vector<const char*>& prefixes) {
    return over(prefixes, [](const Outcomes& ours, const Outcomes& others) {
      return quality_rises_at_equal_ttft(ours, others, equal_ttft);
    });
  };
  for (const char* claim : {"adaptcache/delay-vs-static", "adaptcache/delay-vs-strongest-fixed"})
    add_claim(result, claim, speed({"fixed"}), true);
  for (const char* claim : {"adaptcache/quality-vs-static", "adaptcache/quality-vs-strongest-fixed"})
    add_claim(result, claim, rise({"fixed"}), true);
  add_claim(result, "adaptcache/ttft-vs-all-baselines", speed({"fixed", "lru", "full_prefill"}), true);
  add_claim(result, "adaptcache/ttft-vs-kivi", saving_of(speed({"fixed(kivi"})), true);
  add_claim(result, "adaptcache/quality-vs-streaming-llm", rise({"fixed(streaming_llm"}), true);
  std::vector<MeasuredSpan> speedups;
  for (const double budget : budgets_of(outcomes)) add_savings(speedups, outcomes, budget);
  if (!speedups.empty())
    add_claim(result, "adaptcache/ttft-vs-prefill-and-offloading", saving_of(span_of(speedups)), true);
}

}  // namespace

FigureResult figure_adaptcache(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                               const std::string& fast_tier) {
  FigureResult result = begin_figure(figure);
  result.tables.push_back(points_table(outcomes, fast_tier));
  add_ratios(result, outcomes);
  if (budgets_of(outcomes).size() > 1) result.tables.push_back(hits_table(outcomes, fast_tier));
  add_hits(result, outcomes, fast_tier);
  if (!adaptcache_by(outcomes, described).empty()) measure_times(result, outcomes);
  if (!of_policy(outcomes, "adaptcache").empty())
    result.findings.emplace_back(
        "claims are about utility=described: the paper's text makes utility the product of frequency and alpha * "
        "quality - delay; its formula, utility=printed, leaves the delay outside of the product");
  return result;
}

}  // namespace kvantage::inline experiments
