// Charts of a report as drawings: shapes and labels distinguish series without color, and every mark has its values as
// text.
#pragma once

#include <string>
#include <vector>

#include "core/report/drawing.h"

namespace kvantage::inline report {

struct ScatterPoint {
  std::string label;
  double x = 0, y = 0;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;  // equal to x or y: no error bar
  std::string title;
};
/// Points with error bars; x is logarithmic when the values are positive and span more than a factor of 3. No points:
/// no shapes.
Drawing scatter_drawing(const std::string& x_label, const std::string& y_label,
                        const std::vector<ScatterPoint>& points);

struct StackedBar {
  std::string label;
  std::vector<double> parts;  // one per series; negative values count as zero
  std::string total;          // shown after the bar
};
/// Horizontal bars, one line each; `label` is below the axis, `unit` after its numbers. No bars: no shapes.
Drawing stacked_bars_drawing(const std::vector<std::string>& series, const std::vector<StackedBar>& bars,
                             const std::string& label, const std::string& unit);

}  // namespace kvantage::inline report
