// Charts from the journal: tier usage and hit rates over time, quality against removed fraction, and prediction against
// measurement.
#pragma once

#include <vector>

#include "core/report/recorded_run.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// Maximum points per series; longer ones keep the maximum and the last point of each interval.
inline constexpr std::size_t plot_point_limit = 300;
/// Answers in the window of a hit rate.
inline constexpr std::size_t plot_hit_window = 50;

/// In this order, those with data: one "occupancy" per tier, with a series per run; one "hit_rate" per run, with a
/// series per tier; one "sensitivity" per method, with a series per family; "predicted_ttft" and "predicted_quality".
/// Runs are named as in reports. Times start at the first request of a run.
std::vector<ReportPlot> plots_of_runs(const std::vector<RecordedRun>& runs);

}  // namespace kvantage::inline report
