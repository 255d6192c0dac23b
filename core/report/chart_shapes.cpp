#include "core/report/chart_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/units.h"

namespace kvantage::inline report {

Shape chart_line(double x1, double y1, double x2, double y2, int series) {
  return {.kind = Shape::Kind::line, .places = {{x1, y1}, {x2, y2}}, .series = series};
}

Shape chart_text(double x, double y, const std::string& text, Shape::Anchor anchor) {
  return {.kind = Shape::Kind::text, .places = {{x, y}}, .text = text, .anchor = anchor};
}

Shape chart_marker(double x, double y, int series, const std::string& title, double radius) {
  const int look = series % static_cast<int>(series_colors.size());
  if (look == 0)
    return {.kind = Shape::Kind::circle, .places = {{x, y}}, .radius = radius, .series = series, .text = title};
  Shape shape{.kind = Shape::Kind::polygon, .places = {}, .series = series, .text = title};
  const int corners = look <= 2 ? 4 : look;
  const double turn = look == 1 ? std::numbers::pi / 4 : 0;
  for (int i = 0; i < corners; ++i) {
    const double angle = turn - std::numbers::pi / 2 + 2 * std::numbers::pi * i / corners;
    shape.places.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return shape;
}

std::string tick_text(double value, double step) {
  const int digits = step >= 1 || step <= 0 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return format_fixed(value, std::clamp(digits, 0, 6));
}

}  // namespace kvantage::inline report
