// AdaptCache figures 1 and 2: delay against quality and hits of the fast tier, under Poisson arrivals.
#include <algorithm>
#include <optional>

#include "core/experiments/figure_text.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

constexpr double accepted_loss = 0.15;  // of quality, in the paper's comparison with prefill and plain offloading

Outcomes of_policy(const std::vector<PolicyOutcome>& outcomes, const char* prefix) {
  return with_prefix(outcomes, prefix, std::string());
}

FigureTable points_table(const std::vector<PolicyOutcome>& outcomes, const std::string& fast_tier) {
  FigureTable table{"TTFT (with queueing) against quality, and hits of the fast tier, 95 % intervals over contexts",
                    {"policy", "alpha s", "TTFT s", "low", "high", "service s", "low", "high", "quality", "low", "high",
                     fast_tier + " %", "low", "high", "n"},
                    {}};
  table.plot =
      FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "alpha s"}};
  for (const PolicyOutcome& outcome : outcomes) {
    std::vector<Json> row{outcome.policy, alpha_of(outcome)};
    add_cells(row, mean_ttft_with_queue(outcome));
    add_cells(row, mean_ttft(outcome));
    add_cells(row, mean_quality(outcome));
    add_cells(row, mean_hits(outcome, fast_tier), 100);
    row.push_back(outcome.samples.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// adaptcache against policies whose text begins with each of these.
void add_ratios(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const Outcomes& ours) {
  FigureTable ratios{"adaptcache against others, service time, 95 % intervals over contexts",
                     {"others", "speed at equal quality, min", "low", "high", "max", "low", "high", "unreached",
                      "quality % at equal TTFT, min", "low", "high", "max", "low", "high"},
                     {}};
  ratios.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                           .x = "others",
                           .y = {"speed at equal quality, min", "max"},
                           .y_title = "TTFT of the others / TTFT of adaptcache",
                           .published = {{"paper: fixed compression", nullptr, 1.43, 2.4}}};
  for (const char* prefix : {"fixed(kivi", "fixed(streaming_llm", "lru", "full_prefill"}) {
    const auto others = of_policy(outcomes, prefix);
    if (others.empty() || ours.empty()) continue;
    const Speedups speed = speedups_at_equal_quality(ours, others, equal_quality);
    const Speedups rise = quality_rises_at_equal_ttft(ours, others, equal_ttft);
    const std::string name = std::string(prefix) + (std::string(prefix).find('(') != std::string::npos ? "...)" : "");
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
    ratios.rows.push_back(std::move(row));
    if (speed.span.n > 0)
      result.time_findings.push_back("against " + name + ": " + span_text(speed) + " times the speed at equal quality");
    if (rise.span.n > 0)
      result.time_findings.push_back("against " + name + ": " + span_text(rise, 100) + " % more quality at equal TTFT");
  }
  result.tables.push_back(std::move(ratios));
}

/// Its figure 1: hits of the fast tier compared with those of the strongest fixed configuration.
void add_hits(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const Outcomes& ours,
              const std::string& fast_tier) {
  const Outcomes fixed = of_policy(outcomes, "fixed");
  if (ours.empty() || fixed.empty()) return;
  const auto hits = [&](const PolicyOutcome* outcome) { return hit_rate(*outcome, fast_tier); };
  const PolicyOutcome* best = std::ranges::max(ours, {}, hits);
  const PolicyOutcome* other = std::ranges::max(fixed, {}, hits);
  result.findings.push_back(
      name_of(*best) + " hits " + fast_tier + " on " + short_number(100 * hits(best)) + " % of requests" +
      interval_text(mean_hits(*best, fast_tier).interval, 100) + "; the best fixed configuration, " + name_of(*other) +
      ", on " + short_number(100 * hits(other)) + " %" + interval_text(mean_hits(*other, fast_tier).interval, 100));
  if (hits(other) > 0)
    add_claim(result, "adaptcache/hits-fast-device",
              measured_value(hits(best) / hits(other), hit_ratio_interval(*best, *other, fast_tier)));
  std::vector<MeasuredSpan> of_ours;
  for (const PolicyOutcome* our : ours) of_ours.push_back(measured_span(mean_hits(*our, fast_tier)));
  add_claim(result, "adaptcache/hit-rate-adaptcache", of_ours);
  if (const Outcomes two_bits = of_policy(outcomes, "fixed(kivi2"); !two_bits.empty())
    add_claim(result, "adaptcache/hit-rate-kivi2", measured_span(mean_hits(*two_bits.front(), fast_tier)));
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

void measure_times(FigureResult& result, const std::vector<PolicyOutcome>& outcomes, const Outcomes& ours) {
  const auto speed = [&](const Outcomes& others) {
    return measured_span(std::vector{speedups_at_equal_quality(ours, others, equal_quality)});
  };
  const auto rise = [&](const Outcomes& others) {
    return measured_span(std::vector{quality_rises_at_equal_ttft(ours, others, equal_ttft)});
  };
  const Outcomes fixed = of_policy(outcomes, "fixed"), prefill = of_policy(outcomes, "full_prefill");
  for (const char* claim : {"adaptcache/delay-vs-static", "adaptcache/delay-vs-strongest-fixed"})
    add_claim(result, claim, speed(fixed), true);
  for (const char* claim : {"adaptcache/quality-vs-static", "adaptcache/quality-vs-strongest-fixed"})
    add_claim(result, claim, rise(fixed), true);
  Outcomes all = fixed, uncompressed = of_policy(outcomes, "lru");
  all.insert(all.end(), uncompressed.begin(), uncompressed.end());
  all.insert(all.end(), prefill.begin(), prefill.end());
  add_claim(result, "adaptcache/ttft-vs-all-baselines", speed(all), true);
  add_claim(result, "adaptcache/ttft-vs-kivi", saving_of(speed(of_policy(outcomes, "fixed(kivi"))), true);
  add_claim(result, "adaptcache/quality-vs-streaming-llm", rise(of_policy(outcomes, "fixed(streaming_llm")), true);
  if (prefill.empty()) return;
  const PolicyOutcome* best = fastest_near(ours, mean_quality(*prefill.front()).mean, accepted_loss);
  if (best == nullptr) return;
  uncompressed.push_back(prefill.front());
  std::vector<MeasuredSpan> speedups;
  for (const PolicyOutcome* other : uncompressed)
    speedups.push_back(
        measured_value(mean_ttft(*other).mean / mean_ttft(*best).mean, ttft_ratio_interval(*other, *best)));
  add_claim(result, "adaptcache/ttft-vs-prefill-and-offloading", saving_of(span_of(speedups)), true);
}

}  // namespace

FigureResult figure_adaptcache(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                               const std::string& fast_tier) {
  FigureResult result = begin_figure(figure);
  result.tables.push_back(points_table(outcomes, fast_tier));
  const auto ours = of_policy(outcomes, "adaptcache");
  add_ratios(result, outcomes, ours);
  add_hits(result, outcomes, ours, fast_tier);
  if (!ours.empty()) measure_times(result, outcomes, ours);
  return result;
}

}  // namespace kvantage::inline experiments
