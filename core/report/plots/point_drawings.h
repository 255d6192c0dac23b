// Drawings of lines, shares and point clouds. Private to core/report/plots.
#pragma once

#include "core/report/drawing.h"
#include "core/report/figure.h"

namespace kvantage::inline plots {

/// Of a plot of lines or of a cdf; no shapes where there is nothing to draw, as below.
Drawing lines_drawing(const FigureTable& table);
Drawing cloud_drawing(const FigureTable& table);

}  // namespace kvantage::inline plots
