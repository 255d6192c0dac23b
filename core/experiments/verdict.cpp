#include "core/experiments/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/units.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

Interval accepted(const PaperSpan& paper) {
  const double open = std::numeric_limits<double>::infinity();
  if (!paper.low || !paper.high) return {paper.low.value_or(-open), paper.high.value_or(open)};
  return {*paper.low - paper_tolerance * std::abs(*paper.low), *paper.high + paper_tolerance * std::abs(*paper.high)};
}

/// Half of a 95 % interval in standard errors, and what a verdict with a probability of 80 % needs beside it.
constexpr double interval_errors = 1.960, power_errors = 0.8416;
/// More samples than that are out of reach.
constexpr double most_times = 1e5;

/// To which share of its width one side of an interval must narrow to end within `room` of the number; 0: no width
/// does.
double narrowed(double room, double width) {
  if (width <= 0) return room >= 0 ? 1 : 0;
  return std::clamp(room / width, 0.0, 1.0);
}

struct SpanEnd {
  double value = 0;
  Interval interval;
  double above(double bound) const { return narrowed(value - bound, value - interval.low); }
  double below(double bound) const { return narrowed(bound - value, interval.high - value); }
};

}  // namespace

std::string span_text(const PaperSpan& paper) {
  if (!paper.low && !paper.high) return {};
  if (!paper.low) return "at most " + short_number(*paper.high);
  if (!paper.high) return "at least " + short_number(*paper.low);
  return *paper.low == *paper.high ? short_number(*paper.low)
                                   : short_number(*paper.low) + " - " + short_number(*paper.high);
}

std::optional<Interval> interval_of(const MeasuredSpan& measured) {
  if (!measured.low_interval || !measured.high_interval) return {};
  // Ends are drawn separately, so that either may reach further than the other.
  return Interval{std::min(measured.low_interval->low, measured.high_interval->low),
                  std::max(measured.low_interval->high, measured.high_interval->high)};
}

Verdict verdict_on(const MeasuredSpan& measured, const PaperSpan& paper) {
  const auto interval = interval_of(measured);
  if (!interval || (!paper.low && !paper.high)) return Verdict::cannot_tell;
  const Interval span = accepted(paper);
  if (interval->low >= span.low && interval->high <= span.high) return Verdict::agrees;
  return interval->high < span.low || interval->low > span.high ? Verdict::contradicts : Verdict::cannot_tell;
}

std::string verdict_text(const MeasuredSpan& measured, const PaperSpan& paper) {
  switch (verdict_on(measured, paper)) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::contradicts:
      return interval_of(measured)->high < accepted(paper).low ? "contradicts: smaller" : "contradicts: larger";
    case Verdict::cannot_tell:
      break;
  }
  if (!paper.low && !paper.high) return "cannot tell: the paper gives no number";
  return interval_of(measured) ? "cannot tell at this n" : "cannot tell: no interval";
}

std::optional<double> times_the_samples(const MeasuredSpan& measured, const PaperSpan& paper) {
  if (!interval_of(measured) || !measured.is_sampled || (!paper.low && !paper.high)) return {};
  if (verdict_on(measured, paper) != Verdict::cannot_tell) return 1.0;
  const Interval span = accepted(paper);
  double inside = 1, smaller = 1, larger = 1;
  for (const SpanEnd& end :
       {SpanEnd{measured.low, *measured.low_interval}, SpanEnd{measured.high, *measured.high_interval}}) {
    inside = std::min({inside, end.above(span.low), end.below(span.high)});
    smaller = std::min(smaller, end.below(span.low));
    larger = std::min(larger, end.above(span.high));
  }
  const double share = std::max({inside, smaller, larger});
  const double errors = (interval_errors + power_errors) / interval_errors;
  const double times = share > 0 ? errors * errors / (share * share) : std::numeric_limits<double>::infinity();
  return times <= most_times ? times : std::numeric_limits<double>::infinity();
}

std::string need_text(const MeasuredSpan& measured, const PaperSpan& paper) {
  const auto times = times_the_samples(measured, paper);
  if (!times || *times <= 1) return {};
  const auto rounded = [](double value) { return short_number(round_to_digits(value, 2)); };
  const std::string n = measured.n > 0 ? "n " + std::to_string(measured.n) : std::string();
  if (!std::isfinite(*times)) return n.empty() ? "more samples would not tell" : n + ", more would not tell";
  return n.empty() ? "about " + rounded(*times) + " times as many samples needed"
                   : n + ", about " + rounded(std::ceil(*times * static_cast<double>(measured.n))) + " needed";
}

}  // namespace kvantage::inline experiments
