#include "core/report/chart.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/report/chart_shapes.h"

namespace kvantage::inline report {
namespace {

constexpr double width = chart_width;
using ShapeKind = Shape::Kind;
using Anchor = Shape::Anchor;

Shape box(double x, double y, double wide, double high, int series, const std::string& title = {}) {
  return {.kind = ShapeKind::rectangle, .places = {{x, y}, {x + wide, y + high}}, .series = series, .text = title};
}

}  // namespace

std::vector<double> axis_ticks(double low, double high, int wanted) {
  if (!(high > low)) high = low + (low == 0 ? 1 : std::fabs(low) * 0.1);
  const double raw = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= raw * 0.999) {
      step = power * factor;
      break;
    }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  for (double i = first; ticks.size() < 50; ++i) {
    ticks.push_back(i * step);
    if (ticks.back() >= high - step * 1e-9) break;
  }
  return ticks;
}

std::vector<double> log_axis_ticks(double low, double high) {
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); ticks.size() < 60; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double next = factor == 5.0 ? power * 10 : power * (factor == 1.0 ? 2 : 5);
      if (next <= low * 1.000001) continue;
      ticks.push_back(power * factor);
      if (ticks.size() > 1 && ticks.back() >= high * 0.999999) return ticks;
    }
  return ticks;
}

Drawing scatter_drawing(const std::string& x_label, const std::string& y_label,
                        const std::vector<ScatterPoint>& points) {
  if (points.empty()) return {};
  constexpr double height = 420, left = 64, right = 24, top = 16, bottom = 52;
  double x_min = points[0].x_low, x_max = points[0].x_high, y_min = points[0].y_low, y_max = points[0].y_high;
  for (const ScatterPoint& point : points) {
    x_min = std::min({x_min, point.x, point.x_low});
    x_max = std::max({x_max, point.x, point.x_high});
    y_min = std::min({y_min, point.y, point.y_low});
    y_max = std::max({y_max, point.y, point.y_high});
  }
  const bool logarithmic = x_min > 0 && x_max > 3 * x_min;
  const std::vector<double> x_ticks = logarithmic ? log_axis_ticks(x_min, x_max) : axis_ticks(x_min, x_max, 6);
  const std::vector<double> y_ticks = axis_ticks(y_min, y_max, 5);
  const auto scale = [&](double x) { return logarithmic ? std::log(x) : x; };
  const auto x_of = [&](double x) {
    const double first = scale(x_ticks.front()), last = scale(x_ticks.back());
    return left + (scale(x) - first) / (last - first) * (width - left - right);
  };
  const auto y_of = [&](double y) {
    return height - bottom - (y - y_ticks.front()) / (y_ticks.back() - y_ticks.front()) * (height - top - bottom);
  };
  Drawing drawing{width, height, x_label + " against " + y_label, {}};
  std::vector<Shape>& shapes = drawing.shapes;
  for (std::size_t i = 0; i < x_ticks.size(); ++i) {
    const double step = logarithmic ? x_ticks[i] : x_ticks[1] - x_ticks[0];
    shapes.push_back(chart_line(x_of(x_ticks[i]), top, x_of(x_ticks[i]), height - bottom));
    shapes.push_back(chart_text(x_of(x_ticks[i]), height - bottom + 18, tick_text(x_ticks[i], step), Anchor::middle));
  }
  for (const double tick : y_ticks) {
    shapes.push_back(chart_line(left, y_of(tick), width - right, y_of(tick)));
    shapes.push_back(chart_text(left - 8, y_of(tick) + 4, tick_text(tick, y_ticks[1] - y_ticks[0]), Anchor::end));
  }
  shapes.push_back(chart_text((left + width - right) / 2, height - 10, x_label + (logarithmic ? " (logarithmic)" : ""),
                              Anchor::middle));
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
  const std::vector<double> ticks = axis_ticks(0, most, 6);
  const auto x_of = [&](double value) { return left + value / ticks.back() * (width - left - right); };
  Drawing drawing{width, height, label + ", " + unit, {}};
  std::vector<Shape>& shapes = drawing.shapes;
  double key_x = left;
  for (std::size_t s = 0; s < series.size(); ++s) {
    shapes.push_back(box(key_x, 8, 12, 12, static_cast<int>(s)));
    shapes.push_back(chart_text(key_x + 16, 18, series[s], Anchor::start));
    key_x += 30 + 7.2 * static_cast<double>(series[s].size());
  }
  for (const double tick : ticks) {
    shapes.push_back(chart_line(x_of(tick), top, x_of(tick), height - bottom));
    shapes.push_back(chart_text(x_of(tick), height - bottom + 18, tick_text(tick, ticks[1] - ticks[0]) + " " + unit,
                                Anchor::middle));
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
