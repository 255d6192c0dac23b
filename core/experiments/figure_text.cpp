#include "core/experiments/figure_text.h"

#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {

Json low_of(const std::optional<Interval>& interval) { return interval ? Json(interval->low) : Json(); }
Json high_of(const std::optional<Interval>& interval) { return interval ? Json(interval->high) : Json(); }
Json alpha_of(const PolicyOutcome& outcome) { return outcome.alpha > 0 ? Json(outcome.alpha) : Json(); }

std::string name_of(const PolicyOutcome& outcome) {
  return outcome.alpha > 0 ? outcome.policy + " alpha " + short_number(outcome.alpha) : outcome.policy;
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

MeasuredSpan measured_span(const Speedups& speedups, double factor) {
  const auto times = [factor](const std::optional<Interval>& interval) {
    return interval ? std::optional(Interval{factor * interval->low, factor * interval->high}) : std::nullopt;
  };
  return {factor * speedups.span.low, factor * speedups.span.high, times(speedups.low_interval),
          times(speedups.high_interval)};
}

std::string agreement(std::size_t agreeing, std::size_t of) {
  return agreeing == of ? ": as in the paper" : agreeing > 0 ? ": partly as in the paper" : ": unlike in the paper";
}

}  // namespace kvantage::inline experiments
