// What is painted over the curves of the Frontier: simulated and what-if points, measured points with their intervals,
// the present point, the one it is compared with, and names where there is room.
#pragma once

#include <QPainter>

#include "ui/live/frontier/frontier_canvas.h"

namespace kvantage {

void paint_frontier(QPainter& painter, const FrontierCanvas& canvas);

}  // namespace kvantage
