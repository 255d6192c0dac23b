// Numbers that figures measure, with their intervals: one value a block, scores compared question by question, and
// spans over several comparisons.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// A single number; `n`: MeasuredSpan::n.
MeasuredSpan measured_value(double value, const std::optional<Interval>& interval, std::size_t n = 0);
/// The mean of one value a block, with Student's 95 % interval; a single block has none.
MeasuredSpan measured_mean(std::span<const double> values);
/// The mean of above[i] / below[i], block by block. Both have as many values, and `below` no 0.
MeasuredSpan measured_ratio(std::span<const double> above, std::span<const double> below);
/// A number that is the same in every block: its interval is itself.
MeasuredSpan exactly(double value);
/// From the smallest to the largest of them, at least one; n is the smaller one of both ends.
MeasuredSpan span_of(const std::vector<MeasuredSpan>& all);
/// above / below of numbers that were not measured in pairs: the interval is the widest that theirs allow, and covers
/// at least 95 %. Both are above 0.
MeasuredSpan quotient(const MeasuredSpan& above, const MeasuredSpan& below);
/// The one with the largest number, of at least one: for a claim of "up to".
MeasuredSpan largest_of(const std::vector<MeasuredSpan>& all);
/// factor * value + offset, as for another unit.
MeasuredSpan scaled(const MeasuredSpan& measured, double factor, double offset = 0);

/// 95 % interval of a share, the mean of values from 0 to 1: bootstrap_interval(), where draws of values that are all 0
/// or all 1 would be alike, so that these have Wilson's interval, of as many values as there are groups. Nothing for
/// fewer than two groups.
std::optional<Interval> share_interval(std::span<const double> values, std::span<const std::string> groups);
/// As above with every value its own group.
std::optional<Interval> share_interval(std::span<const double> values);

/// The mean of above[i] - below[i], where both answer question i. A single question has no interval.
MeasuredSpan paired_difference(std::span<const double> above, std::span<const double> below);
/// The mean of `above` / the mean of `below`, where above[i] and below[i] answer the same question; nothing where the
/// latter is 0. The interval is that of the linearized ratio (Cochran 1977, section 2.11), which is defined for
/// questions that score 0.
std::optional<MeasuredSpan> paired_ratio(std::span<const double> above, std::span<const double> below);

/// Adds to what the result measured: one number or span, or the span of `all`; nothing where there is none.
void add_claim(FigureResult& result, const std::string& claim, const std::optional<MeasuredSpan>& measured,
               bool of_time = false);
void add_claim(FigureResult& result, const std::string& claim, const std::vector<MeasuredSpan>& all,
               bool of_time = false);

/// Sets n of every measured claim that has none: what the intervals of a figure are over, unless it says otherwise.
void set_sample_size(FigureResult& result, std::size_t n);

/// Adds the value and both ends of its interval, null without one.
void add_interval_cells(std::vector<Json>& row, const MeasuredSpan& measured);

}  // namespace kvantage::inline experiments
