#include "core/report/chart.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/report/chart_shapes.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline report {
namespace {

constexpr double width = chart_width;
using ShapeKind = Shape::Kind;
using Anchor = Shape::Anchor;

Shape box(double x, double y, double wide, double high, int series, const std::string& title = {}) {
  return {.kind = ShapeKind::rectangle, .places = {{x, y}, {x + wide, y + high}}, .series = series, .text = title};
}

}  // namespace

Drawing scatter_drawing(const std::string& x_label, const std::string& y_label,
                        const std::vector<ScatterPoint>& points) {
  if (points.empty()) return {};
  constexpr double height = 420, left = 64, right = 24, top = 16, bottom = 52;
  AxisRange x_range, y_range;
  for (const ScatterPoint& point : points) {
    for (const double x : {point.x, point.x_low, point.x_high}) x_range.add(x);
    for (const double y : {point.y, point.y_low, point.y_high}) y_range.add(y);
  }
  const PlotScales scales = means_scales(x_range, y_range);
  const auto x_of = [&](double x) { return left + scales.x.share(x) * (width - left - right); };
  const auto y_of = [&](double y) { return height - bottom - scales.y.share(y) * (height - top - bottom); };
  Drawing drawing{width, height, x_label + " against " + y_label, {}};
  std::vector<Shape>& shapes = drawing.shapes;
  for (std::size_t i = 0; i < scales.x.ticks.size(); ++i) {
    const double x = x_of(scales.x.ticks[i]);
    shapes.push_back(chart_line(x, top, x, height - bottom));
    shapes.push_back(chart_text(x, height - bottom + 18, scales.x.label(i), Anchor::middle));
  }
  for (std::size_t i = 0; i < scales.y.ticks.size(); ++i) {
    const double y = y_of(scales.y.ticks[i]);
    shapes.push_back(chart_line(left, y, width - right, y));
    shapes.push_back(chart_text(left - 8, y + 4, scales.y.label(i), Anchor::end));
  }
  shapes.push_back(chart_text((left + width - right) / 2, height - 10, x_label + scale_text(scales.x), Anchor::middle));
  shapes.push_back(chart_text(16, (top + height - bottom) / 2, y_label, Anchor::middle));
  shapes.back().upwards = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ScatterPoint& point = points[i];
    const double x = x_of(point.x), y = y_of(point.y);
    const auto series = static_cast<int>(i);
    if (point.x_high > point.x_low) shapes.push_back(chart_line(x_of(point.x_low), y, x_of(point.x_high), y, series));
    if (point.y_high > point.y_low) shapes.push_back(chart_line(x, y_of(point.y_low), x, y_of(point.y_high), series));
    shapes.push_back(chart_marker(x, y, series, point.title));
    const bool at_right = x > width * 0.7;
    shapes.push_back(
        chart_text(at_right ? x - 10 : x + 10, y - 8, point.label, at_right ? Anchor::end : Anchor::start));
  }
  return drawing;
}

Drawing stacked_bars_drawing(const std::vector<std::string>& series, const std::vector<StackedBar>& bars,
                             const std::string& label, const std::string& unit) {
  if (bars.empty()) return {};
  constexpr double left = 190, right = 90, top = 34, row = 30, bottom = 52;
  const double height = top + row * static_cast<double>(bars.size()) + bottom;
  double most = 0;
  for (const StackedBar& bar : bars) {
    double sum = 0;
    for (const double part : bar.parts) sum += std::max(0.0, part);
    most = std::max(most, sum);
  }
  const AxisScale scale = bar_scale(most);
  const auto x_of = [&](double value) { return left + value / scale.ticks.back() * (width - left - right); };
  Drawing drawing{width, height, label + ", " + unit, {}};
  std::vector<Shape>& shapes = drawing.shapes;
  double key_x = left;
  for (std::size_t s = 0; s < series.size(); ++s) {
    shapes.push_back(box(key_x, 8, 12, 12, static_cast<int>(s)));
    shapes.push_back(chart_text(key_x + 16, 18, series[s], Anchor::start));
    key_x += 30 + 7.2 * static_cast<double>(series[s].size());
  }
  for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
    const double x = x_of(scale.ticks[i]);
    shapes.push_back(chart_line(x, top, x, height - bottom));
    shapes.push_back(chart_text(x, height - bottom + 18, scale.label(i) + " " + unit, Anchor::middle));
  }
  shapes.push_back(chart_text((left + width - right) / 2, height - 10, label, Anchor::middle));
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double y = top + row * static_cast<double>(b) + 5;
    shapes.push_back(chart_text(left - 8, y + 14, bars[b].label, Anchor::end));
    double sum = 0;
    for (std::size_t s = 0; s < bars[b].parts.size(); ++s) {
      const double part = std::max(0.0, bars[b].parts[s]);
      if (part > 0)
        shapes.push_back(box(x_of(sum), y, x_of(sum + part) - x_of(sum), row - 10, static_cast<int>(s),
                             bars[b].label + ", " + series[s] + ": " + format_fixed(part, 2) + " " + unit));
      sum += part;
    }
    shapes.push_back(chart_text(x_of(sum) + 6, y + 14, bars[b].total, Anchor::start));
  }
  return drawing;
}

}  // namespace kvantage::inline report
