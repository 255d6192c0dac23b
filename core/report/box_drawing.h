// Boxes with whiskers as a drawing.
#pragma once

#include "core/report/drawing.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// Horizontal boxes of a plot of boxes, one line each: its name before it, its total after it. No places: no shapes.
Drawing box_drawing(const ReportPlot& plot);

}  // namespace kvantage::inline report
