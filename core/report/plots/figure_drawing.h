// A table of a figure as a drawing, in the form that its plot names, with what the paper reports in marks of its own.
#pragma once

#include "core/report/drawing.h"
#include "core/report/figure.h"

namespace kvantage::inline plots {

/// No shapes for a table without a plot, or whose plot has nothing to draw.
Drawing figure_drawing(const FigureTable& table);

}  // namespace kvantage::inline plots
