#include "core/experiments/figure_text.h"

#include <cmath>
#include <utility>

#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {

Json low_of(const std::optional<Interval>& interval) { return interval ? Json(interval->low) : Json(); }
Json high_of(const std::optional<Interval>& interval) { return interval ? Json(interval->high) : Json(); }
Json number_or_unlimited(double value) { return std::isfinite(value) ? Json(value) : Json("unlimited"); }

Json alpha_of(const PolicyOutcome& outcome) { return outcome.alpha > 0 ? Json(outcome.alpha) : Json(); }

std::string policy_text(const PolicyOutcome& outcome) {
  return outcome.extension.empty() ? outcome.policy : outcome.policy + ", " + outcome.extension;
}
std::string name_of(const PolicyOutcome& outcome) {
  const std::string text = policy_text(outcome);
  return outcome.alpha > 0 ? text + " alpha " + short_number(outcome.alpha) : text;
}

Json chance_of(const PolicyOutcome& outcome) {
  const PolicyMean chance = mean_chance(outcome);
  return chance.n > 0 ? Json(chance.mean) : Json();
}

void add_cells(std::vector<Json>& row, const PolicyMean& mean, double factor) {
  row.push_back(mean.n > 0 ? Json(factor * mean.mean) : Json());
  row.push_back(mean.interval ? Json(factor * mean.interval->low) : Json());
  row.push_back(mean.interval ? Json(factor * mean.interval->high) : Json());
}

std::string interval_text(const std::optional<Interval>& interval, double factor) {
  return interval ? " [" + short_number(factor * interval->low) + ", " + short_number(factor * interval->high) + "]"
                  : std::string();
}

std::string span_text(const Speedups& speedups, double factor) {
  if (speedups.span.n == 0) return "none reached";
  std::string text = short_number(factor * speedups.span.low) + interval_text(speedups.low_interval, factor) + " - " +
                     short_number(factor * speedups.span.high) + interval_text(speedups.high_interval, factor);
  if (speedups.unreached > 0)
    text += ", " + std::to_string(speedups.unreached) + " of " + std::to_string(speedups.unreached + speedups.span.n) +
            " unreached";
  return text;
}

Json span_low(const Speedups& speedups) { return speedups.span.n > 0 ? Json(speedups.span.low) : Json(); }
Json span_high(const Speedups& speedups) { return speedups.span.n > 0 ? Json(speedups.span.high) : Json(); }

std::vector<std::string> comparison_columns(std::vector<std::string> before) {
  for (const char* column :
       {"speed at equal quality, min", "low", "high", "speed at equal quality, max", "low", "high", "unreached",
        "quality % at equal TTFT, min", "low", "high", "quality % at equal TTFT, max", "low", "high"})
    before.emplace_back(column);
  return before;
}

void add_comparison(std::vector<Json>& row, const Speedups& speed, const Speedups& rise) {
  for (Json cell : {span_low(speed), low_of(speed.low_interval), high_of(speed.low_interval), span_high(speed),
                    low_of(speed.high_interval), high_of(speed.high_interval), Json(speed.unreached)})
    row.push_back(std::move(cell));
  add_cells(row, {rise.span.low, rise.low_interval, rise.span.n}, 100);
  add_cells(row, {rise.span.high, rise.high_interval, rise.span.n}, 100);
}

FigurePlot comparison_plot(std::string x, std::vector<std::string> by) {
  return {.kind = FigurePlot::Kind::bars,
          .x = std::move(x),
          .y = {"speed at equal quality, min", "speed at equal quality, max"},
          .y_title = "TTFT of the others / TTFT of adaptcache",
          .by = std::move(by),
          .published = {{"paper: fixed compression", nullptr, 1.43, 2.4}}};
}

MeasuredSpan measured_span(const Speedups& speedups) {
  return {speedups.span.low, speedups.span.high, speedups.low_interval, speedups.high_interval};
}

MeasuredSpan measured_span(const PolicyMean& mean) { return measured_value(mean.mean, mean.interval); }

std::optional<MeasuredSpan> measured_span(const std::vector<Speedups>& all) {
  std::vector<MeasuredSpan> spans;
  for (const Speedups& one : all)
    if (one.span.n > 0) spans.push_back(measured_span(one));
  return spans.empty() ? std::nullopt : std::optional(span_of(spans));
}

}  // namespace kvantage::inline experiments
