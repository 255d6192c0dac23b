// Shared by tables and sentences of the policy figures: cells for intervals and alphas, and spans as text.
// Sentences derive from the numbers alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/experiments/policy_outcome.h"
#include "core/experiments/verdict.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

Json low_of(const std::optional<Interval>& interval);
Json high_of(const std::optional<Interval>& interval);
Json number_or_unlimited(double value);       // "unlimited" where it is not finite
Json alpha_of(const PolicyOutcome& outcome);  // null where the policy does not use it
/// "evicpress(drop=best), codecs (EvicPress section 8, extension)": without its alpha.
std::string policy_text(const PolicyOutcome& outcome);
std::string name_of(const PolicyOutcome& outcome);
/// Mean quality by chance; null where it is unknown.
Json chance_of(const PolicyOutcome& outcome);
/// Adds the mean and both ends of its interval.
void add_cells(std::vector<Json>& row, const PolicyMean& mean, double factor = 1);

/// "1.24 [1.1, 1.4] - 3.94 [3.2, 4.8], 1 of 4 unreached"; "none reached".
std::string span_text(const Speedups& speedups, double factor = 1);
/// " [1.1, 1.4]"; empty without an interval.
std::string interval_text(const std::optional<Interval>& interval, double factor = 1);

/// Ends of the comparisons; null where there is none.
Json span_low(const Speedups& speedups);
Json span_high(const Speedups& speedups);

/// A table of adaptcache against others: `before`, then what add_comparison() adds.
std::vector<std::string> comparison_columns(std::vector<std::string> before);
/// Adds both ends of the speeds at equal quality and of the quality rises at equal TTFT in %, with their intervals.
void add_comparison(std::vector<Json>& row, const Speedups& speed, const Speedups& rise);
/// Its speeds as bars, beside the paper's.
FigurePlot comparison_plot(std::string x, std::vector<std::string> by);

/// With the intervals of both ends; requires at least one comparison.
MeasuredSpan measured_span(const Speedups& speedups);
MeasuredSpan measured_span(const PolicyMean& mean);
/// The same over several comparisons, those without any left out; nothing where none has one.
std::optional<MeasuredSpan> measured_span(const std::vector<Speedups>& all);

}  // namespace kvantage::inline experiments
