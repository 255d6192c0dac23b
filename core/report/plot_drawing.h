// Curves, steps and clouds of points as a drawing.
#pragma once

#include "core/report/drawing.h"
#include "core/report/report_sections.h"

namespace kvantage {

/// A colour and a mark a series; a thin series has the colour of the one that its name begins with, else grey. Axes
/// begin at 0 where the values come near it. A plot without series: no shapes.
Drawing plot_drawing(const ReportPlot& plot);

/// "in use, MiB"; the label alone where the unit is 1.
std::string axis_text(const std::string& label, const std::string& unit);

}  // namespace kvantage
