// What a measured interval says about a number or a span that a paper reports.
#pragma once

#include <optional>
#include <string>

#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// A paper's range over all its points, minimum to maximum; a single number has low = high. With one end, the claim is
/// about order: at least `low`, or at most `high`.
struct PaperSpan {
  std::optional<double> low, high;
};

/// "1.43 - 3.77"; "2.19" for a single number; "at least 1"; empty without an end.
std::string span_text(const PaperSpan& paper);

enum class Verdict { agrees, contradicts, cannot_tell };

/// How far a measured number may be from the paper's and still agree, as a share of the paper's: numbers are read from
/// figures, and rounded.
inline constexpr double paper_tolerance = 0.1;

/// From the smallest low to the largest high of both ends' intervals; nothing where an end has none.
std::optional<Interval> interval_of(const MeasuredSpan& measured);

/// agrees: the intervals lie within the paper's span, widened by paper_tolerance at both ends; a span with one end is
/// not widened. contradicts: they lie outside of it. cannot_tell: anything else, an end without an interval, or a paper
/// that gives no number.
Verdict verdict_on(const MeasuredSpan& measured, const PaperSpan& paper);

/// "agrees"; "contradicts: smaller", "contradicts: larger"; "cannot tell at this n"; "cannot tell: no interval",
/// "cannot tell: the paper gives no number".
std::string verdict_text(const MeasuredSpan& measured, const PaperSpan& paper);

/// How many times as many samples give a verdict with a probability of 80 %, where the numbers stay as they are and
/// intervals narrow with the square root of n. 1: there is one already. Infinite: no n does, as a number is at an end
/// of the paper's span, or its ends are on both sides of one. Nothing without an interval, where more samples do not
/// narrow it, and for a paper that gives no number.
std::optional<double> times_the_samples(const MeasuredSpan& measured, const PaperSpan& paper);
/// The same beside "cannot tell at this n": "n 54, about 210 needed"; "about 3.9 times as many samples needed" where n
/// is not known; "n 54, more would not tell". Empty where there is a verdict, or none for another reason.
std::string need_text(const MeasuredSpan& measured, const PaperSpan& paper);

}  // namespace kvantage::inline experiments
