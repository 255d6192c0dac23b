// Charts of the rows of a report: time to first token against quality, time breakdown, the sources of requests, and how
// times to first token are distributed.
#pragma once

#include <cstddef>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

/// Runs whose bars are side by side in a histogram; more continue in a further one.
inline constexpr std::size_t max_histogram_runs = 4;

/// Those with data: "ttft_quality" (of chosen_quality_metric), "ttft_split", "sources", "ttft_boxes" (percentiles as in
/// core/base/statistics.h) and "ttft_histogram". Rows without an answered request are left out.
std::vector<ReportPlot> plots_of_rows(const RunReport& report);

}  // namespace kvantage::inline report
