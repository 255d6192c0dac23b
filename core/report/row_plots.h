// Charts of the rows of a report: time to first token against quality, time breakdown, and the sources of requests.
#pragma once

#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

/// Those with data: "ttft_quality" (of chosen_quality_metric), "ttft_split", "sources".
std::vector<ReportPlot> plots_of_rows(const RunReport& report);

}  // namespace kvantage::inline report
