// Charts of a report as inline SVG: colours come from the page's style (light and dark), shapes and labels tell series
// apart without colour, every mark has a <title> with its figures.
#pragma once

#include <string>
#include <vector>

namespace kvantage {

struct ScatterPoint {
  std::string label;
  double x = 0, y = 0;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;  // equal to x or y: no error bar
  std::string title;
};
/// Points with error bars; x is logarithmic when the values span more than a factor of 3 and are above zero.
std::string scatter_svg(const std::string& x_label, const std::string& y_label, const std::vector<ScatterPoint>& points);

struct StackedBar {
  std::string label;
  std::vector<double> parts;  // as many as there are series; below zero counts as zero
  std::string total;          // stands behind the bar
};
/// Horizontal bars, one line each; `unit` stands behind the numbers of the axis.
std::string stacked_bars_svg(const std::vector<std::string>& series, const std::vector<StackedBar>& bars,
                             const std::string& unit);

/// Round axis positions that cover [low, high], about `wanted` of them, ascending.
std::vector<double> axis_ticks(double low, double high, int wanted);
std::vector<double> log_axis_ticks(double low, double high);

}  // namespace kvantage
