// Curves, steps, point clouds and histograms as a drawing.
#pragma once

#include "core/report/drawing.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// One color and mark per series; a thin series has the color of the series that its name starts with, otherwise gray.
/// Axes start at 0 where the values are close to it. A plot without series: no shapes.
Drawing plot_drawing(const ReportPlot& plot);

}  // namespace kvantage::inline report
