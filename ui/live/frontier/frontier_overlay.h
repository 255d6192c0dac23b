// What is painted over the curves of the Frontier: points of other runs, simulated and what-if points, measured points
// with their intervals, the present point, the one it is compared with, targets, and names where there is room.
#pragma once

#include <QPainter>

#include "ui/live/frontier/frontier_canvas.h"

namespace kvantage {

void paint_frontier(QPainter& painter, const FrontierCanvas& canvas);

}  // namespace kvantage
