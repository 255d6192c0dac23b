#include "core/experiments/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

Interval accepted(const PaperSpan& paper) {
  const double open = std::numeric_limits<double>::infinity();
  if (!paper.low || !paper.high) return {paper.low.value_or(-open), paper.high.value_or(open)};
  return {*paper.low - paper_tolerance * std::abs(*paper.low), *paper.high + paper_tolerance * std::abs(*paper.high)};
}

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

}  // namespace kvantage::inline experiments
