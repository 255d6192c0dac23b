// A multi-run report's comparison with one of the runs: settings and metrics of a comparison (compare_runs.h), in every
// format.
#pragma once

#include <string_view>

#include "core/report/compare_runs.h"
#include "core/report/table.h"

namespace kvantage::inline report {

/// Fills RunReport::differences; runs are named as in its rows, a repeated name with " (2)". A comparison of fewer than
/// two adds nothing.
void add_differences(RunReport& report, const RunComparison& comparison);

/// Index of the run that `word` identifies: its id, a policy that only one of them has, or a unique prefix of an id.
/// usage error that lists the options.
Expected<std::size_t> place_of_run(const std::vector<RecordedRun>& runs, std::string_view word);

/// The settings that differ and each metric's difference, one per line; empty without a baseline.
std::vector<Table> differences_tables(const RunReport& report);

/// A setting's value for display; "-" where it is not set.
std::string setting_text(const Json& value);
/// "60 pairs", "60 and 66" with different questions, "-" for single values.
std::string rests_on(const MetricDifference& difference);

}  // namespace kvantage::inline report
