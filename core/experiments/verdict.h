// What a measured interval says about a number or a span that a paper reports.
#pragma once

#include <optional>
#include <string>

#include "core/base/statistics.h"

namespace kvantage::inline experiments {

/// A paper's range over all its points, minimum to maximum; a single number has low = high.
struct PaperSpan {
  double low = 0, high = 0;
};

/// A minimum and a maximum that were measured, each with its 95 % interval where there is one.
struct MeasuredSpan {
  double low = 0, high = 0;
  std::optional<Interval> low_interval = {}, high_interval = {};
};

/// "1.43 - 3.77"; "2.19" for a single number.
std::string span_text(const PaperSpan& paper);

enum class Verdict { agrees, contradicts, cannot_tell };

/// How far a measured number may be from the paper's and still agree, as a share of the paper's: numbers are read from
/// figures, and rounded.
inline constexpr double paper_tolerance = 0.1;

/// agrees: the intervals lie within the paper's span, widened by paper_tolerance at both ends. contradicts: they lie
/// outside of it. cannot_tell: anything else, or an end without an interval.
Verdict verdict_on(const MeasuredSpan& measured, const PaperSpan& paper);

/// ": agrees with the paper (1.43 - 3.77)"; ": contradicts the paper (1.43 - 3.77), smaller"; ": cannot tell at this n
/// (paper: 1.43 - 3.77)".
std::string verdict_text(const MeasuredSpan& measured, const PaperSpan& paper);

/// For a claim about order alone: `ahead` is how far ours is ahead (a difference, or a ratio - 1) with its interval.
/// agrees: all of it above 0; contradicts: none of it.
Verdict verdict_on_lead(const std::optional<Interval>& ahead);
/// ": agrees with the paper"; ": contradicts the paper"; ": cannot tell at this n".
std::string verdict_text(Verdict verdict);

}  // namespace kvantage::inline experiments
