// The charts of a report, once for every format that can show them.
#pragma once

#include <string>
#include <vector>

#include "core/report/drawing.h"
#include "core/report/report.h"

namespace kvantage {

struct ReportChart {
  std::string title, note;
  Drawing drawing;
};

/// Those for which there are figures.
std::vector<ReportChart> charts_of(const RunReport& report);

}  // namespace kvantage
