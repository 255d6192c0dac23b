// A chart as a Python script that draws it with matplotlib. The data is inside: a list named `series`, of dictionaries
// with "name", "x" and "y", and "low" and "high" where every point has a 95 % interval.
#pragma once

#include <string>

#include "core/report/report_sections.h"

namespace kvantage::inline formats {

/// The size of the picture, in mm, and of its text, in points: by default one column of a paper.
struct MatplotlibPage {
  double width_mm = 85, height_mm = 64, font_points = 8;
};

/// Points that are not finite are left out. Bars and boxes are drawn as points: the data is complete, the look is not.
std::string matplotlib_script(const ReportPlot& plot, const MatplotlibPage& page = {});

}  // namespace kvantage::inline formats
