// Charts of the rows of a report: time to first token against quality, where the time goes, where requests were served
// from.
#pragma once

#include <vector>

#include "core/report/report.h"

namespace kvantage {

/// Those for which there are figures: "ttft_quality" (of chosen_quality_metric), "ttft_split", "sources".
std::vector<ReportPlot> plots_of_rows(const RunReport& report);

}  // namespace kvantage
