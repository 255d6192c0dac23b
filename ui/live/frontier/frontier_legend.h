// What the marks of the Frontier mean. Policies are named beside their curves and points.
#pragma once

#include "ui/live/frontier/frontier_canvas.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

/// One item for each kind of mark that is on the chart.
std::vector<LegendItem> frontier_legend(const FrontierCanvas& canvas);

}  // namespace kvantage
