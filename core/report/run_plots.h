// Charts of what a journal tells beside the rows of a report: occupancy and hit rates over time, quality against what
// is removed, and what was predicted against what came.
#pragma once

#include <vector>

#include "core/report/recorded_run.h"
#include "core/report/report_sections.h"

namespace kvantage {

/// At most so many points a series; of longer ones the highest and the last of each stretch of time stay.
inline constexpr std::size_t plot_point_limit = 300;
/// Answers that the hit rate of a moment is taken over.
inline constexpr std::size_t plot_hit_window = 50;

/// In this order, those for which there is something to show: one of "occupancy" a tier, with a series a run; one of
/// "hit_rate" a run, with a series a tier; one of "sensitivity" a method, with a series a family; "predicted_ttft" and
/// "predicted_quality". Runs are called as in reports. Times are since the first request of a run came.
std::vector<ReportPlot> plots_of_runs(const std::vector<RecordedRun>& runs);

}  // namespace kvantage
