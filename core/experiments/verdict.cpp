#include "core/experiments/verdict.h"

#include <algorithm>
#include <cmath>

#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

PaperSpan widened(const PaperSpan& paper) {
  return {paper.low - paper_tolerance * std::abs(paper.low), paper.high + paper_tolerance * std::abs(paper.high)};
}

}  // namespace

std::string span_text(const PaperSpan& paper) {
  return paper.low == paper.high ? short_number(paper.low) : short_number(paper.low) + " - " + short_number(paper.high);
}

Verdict verdict_on(const MeasuredSpan& measured, const PaperSpan& paper) {
  if (!measured.low_interval || !measured.high_interval) return Verdict::cannot_tell;
  // Ends are drawn separately, so that either may reach further than the other.
  const double low = std::min(measured.low_interval->low, measured.high_interval->low);
  const double high = std::max(measured.low_interval->high, measured.high_interval->high);
  const PaperSpan span = widened(paper);
  if (low >= span.low && high <= span.high) return Verdict::agrees;
  return high < span.low || low > span.high ? Verdict::contradicts : Verdict::cannot_tell;
}

std::string verdict_text(const MeasuredSpan& measured, const PaperSpan& paper) {
  const Verdict verdict = verdict_on(measured, paper);
  if (verdict == Verdict::cannot_tell) return verdict_text(verdict) + " (paper: " + span_text(paper) + ")";
  std::string text = verdict_text(verdict) + " (" + span_text(paper) + ")";
  if (verdict == Verdict::contradicts) text += measured.high < paper.low ? ", smaller" : ", larger";
  return text;
}

Verdict verdict_on_lead(const std::optional<Interval>& ahead) {
  if (!ahead) return Verdict::cannot_tell;
  if (ahead->low > 0) return Verdict::agrees;
  return ahead->high < 0 ? Verdict::contradicts : Verdict::cannot_tell;
}

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return ": agrees with the paper";
    case Verdict::contradicts:
      return ": contradicts the paper";
    case Verdict::cannot_tell:
      break;
  }
  return ": cannot tell at this n";
}

}  // namespace kvantage::inline experiments
