// The charts of a report as drawings, for the formats that show them.
#pragma once

#include <string>
#include <vector>

#include "core/report/drawing.h"
#include "core/report/report.h"

namespace kvantage::inline report {

struct ReportChart {
  std::string title, note;
  Drawing drawing;
};

/// One per chart of the report's content (report_content.h), in its order.
std::vector<ReportChart> charts_of(const std::vector<ReportPlot>& plots);
std::vector<ReportChart> charts_of(const RunReport& report);

}  // namespace kvantage::inline report
