// Shared by tables and sentences of the policy figures: cells for intervals and alphas, spans as text, and the
// agreement of a shape with a paper's. Sentences derive from the numbers alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/experiments/policy_outcome.h"
#include "core/experiments/verdict.h"

namespace kvantage::inline experiments {

Json low_of(const std::optional<Interval>& interval);
Json high_of(const std::optional<Interval>& interval);
Json alpha_of(const PolicyOutcome& outcome);  // null where the policy does not use it
std::string name_of(const PolicyOutcome& outcome);
/// Adds the mean and both ends of its interval.
void add_cells(std::vector<Json>& row, const PolicyMean& mean, double factor = 1);

/// "1.24 [1.1, 1.4] - 3.94 [3.2, 4.8], 1 of 4 unreached"; "none reached".
std::string span_text(const Speedups& speedups, double factor = 1);
/// " [1.1, 1.4]"; empty without an interval.
std::string interval_text(const std::optional<Interval>& interval, double factor = 1);

/// With the intervals of both ends, times `factor`; requires at least one comparison.
MeasuredSpan measured_span(const Speedups& speedups, double factor = 1);

/// ": as in the paper" where all agree, ": partly as in the paper", ": unlike in the paper".
std::string agreement(std::size_t agreeing, std::size_t of);

}  // namespace kvantage::inline experiments
