// Drawings of bars, histograms, heat maps and time lines. Private to core/report/plots.
#pragma once

#include "core/report/drawing.h"
#include "core/report/figure.h"

namespace kvantage::inline plots {

/// No shapes where there is nothing to draw.
Drawing bars_drawing(const FigureTable& table);
Drawing histogram_drawing(const FigureTable& table);
Drawing heat_map_drawing(const FigureTable& table);
Drawing spans_drawing(const FigureTable& table);

}  // namespace kvantage::inline plots
