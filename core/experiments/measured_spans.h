// Spans that figures measure: scores compared question by question, with intervals over the questions, and one span
// over several comparisons.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// The mean of above[i] - below[i], where both answer question i. A single question has no interval.
MeasuredSpan paired_difference(std::span<const double> above, std::span<const double> below);
/// The mean of `above` / the mean of `below`, where above[i] and below[i] answer the same question; nothing where the
/// latter is 0. The interval is that of the linearized ratio (Cochran 1977, section 2.11), which is defined for
/// questions that score 0.
std::optional<MeasuredSpan> paired_ratio(std::span<const double> above, std::span<const double> below);

/// Adds the claim with the span of `all`; nothing where there is none.
void add_claim(FigureResult& result, const std::string& claim, const std::vector<MeasuredSpan>& all,
               bool of_time = false);

/// Adds the value and both ends of its interval, null without one.
void add_interval_cells(std::vector<Json>& row, const MeasuredSpan& measured);

}  // namespace kvantage::inline experiments
