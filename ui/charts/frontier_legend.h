// What each line and marker of the Frontier means.
#pragma once

#include "ui/charts/frontier_canvas.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

std::vector<LegendItem> frontier_legend(const FrontierCanvas& canvas);

}  // namespace kvantage
