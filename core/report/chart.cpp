#include "core/report/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/base/units.h"
#include "core/report/markup.h"

namespace kvantage {
namespace {

constexpr double width = 760;
constexpr std::size_t colours = 8;  // classes c0..c7 of the page

std::string attribute(const char* name, double value) {
  return joined({" ", name, "=\"", coordinate(value), "\""});
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style_class) {
  return joined({"<line class=\"", style_class, "\"", attribute("x1", x1), attribute("y1", y1), attribute("x2", x2),
                 attribute("y2", y2), "/>\n"});
}

std::string text_at(double x, double y, const std::string& text, const char* anchor) {
  return joined({"<text", attribute("x", x), attribute("y", y), " text-anchor=\"", anchor, "\">", escape_markup(text),
                 "</text>\n"});
}

std::string class_of(std::size_t series) { return joined({"c", std::to_string(series % colours)}); }

// Circle, square, diamond, triangle, then polygons with more corners: told apart in black and white, too.
std::string marker(double x, double y, std::size_t series, const std::string& title) {
  constexpr double radius = 6;
  const std::string tail = joined({" class=\"", class_of(series), "\"><title>", escape_markup(title), "</title>"});
  if (series % colours == 0)
    return joined({"<circle", attribute("cx", x), attribute("cy", y), attribute("r", radius), tail, "</circle>\n"});
  const std::size_t corners = series % colours == 1 || series % colours == 2 ? 4 : series % colours;
  const double turn = series % colours == 1 ? std::numbers::pi / 4 : 0;
  std::string points;
  for (std::size_t i = 0; i < corners; ++i) {
    const double angle = turn - std::numbers::pi / 2 + 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(corners);
    points += joined({i == 0 ? "" : " ", coordinate(x + radius * std::cos(angle)), ",",
                      coordinate(y + radius * std::sin(angle))});
  }
  return joined({"<polygon points=\"", points, "\"", tail, "</polygon>\n"});
}

std::string open_svg(double height, const std::string& name) {
  return joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"", escape_markup(name),
                 "\" viewBox=\"0 0 ", coordinate(width), " ", coordinate(height), "\">\n"});
}

// As few decimals as tell the ticks apart.
std::string tick_text(double value, double step) {
  const int digits = step >= 1 || step <= 0 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return format_fixed(value, std::clamp(digits, 0, 6));
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

std::string scatter_svg(const std::string& x_label, const std::string& y_label, const std::vector<ScatterPoint>& points) {
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
  std::string svg = open_svg(height, x_label + " against " + y_label);
  for (std::size_t i = 0; i < x_ticks.size(); ++i) {
    const double step = logarithmic ? x_ticks[i] : x_ticks[1] - x_ticks[0];
    svg += line(x_of(x_ticks[i]), top, x_of(x_ticks[i]), height - bottom, "grid");
    svg += text_at(x_of(x_ticks[i]), height - bottom + 18, tick_text(x_ticks[i], step), "middle");
  }
  for (const double tick : y_ticks) {
    svg += line(left, y_of(tick), width - right, y_of(tick), "grid");
    svg += text_at(left - 8, y_of(tick) + 4, tick_text(tick, y_ticks[1] - y_ticks[0]), "end");
  }
  svg += text_at((left + width - right) / 2, height - 10, x_label + (logarithmic ? " (logarithmic)" : ""), "middle");
  svg += joined({"<text transform=\"translate(16 ", coordinate((top + height - bottom) / 2),
                 ") rotate(-90)\" text-anchor=\"middle\">", escape_markup(y_label), "</text>\n"});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ScatterPoint& point = points[i];
    const double x = x_of(point.x), y = y_of(point.y);
    const std::string bar = joined({"bar ", class_of(i)});
    if (point.x_high > point.x_low) svg += line(x_of(point.x_low), y, x_of(point.x_high), y, bar);
    if (point.y_high > point.y_low) svg += line(x, y_of(point.y_low), x, y_of(point.y_high), bar);
    svg += marker(x, y, i, point.title);
    const bool at_right = x > width * 0.7;
    svg += text_at(at_right ? x - 10 : x + 10, y - 8, point.label, at_right ? "end" : "start");
  }
  return svg + "</svg>\n";
}

std::string stacked_bars_svg(const std::vector<std::string>& series, const std::vector<StackedBar>& bars,
                             const std::string& unit) {
  if (bars.empty()) return {};
  constexpr double left = 190, right = 90, top = 34, row = 30, bottom = 40;
  const double height = top + row * static_cast<double>(bars.size()) + bottom;
  double most = 0;
  for (const StackedBar& bar : bars) {
    double sum = 0;
    for (const double part : bar.parts) sum += std::max(0.0, part);
    most = std::max(most, sum);
  }
  const std::vector<double> ticks = axis_ticks(0, most, 6);
  const auto x_of = [&](double value) { return left + value / ticks.back() * (width - left - right); };
  std::string svg = open_svg(height, joined({"bars of ", series.empty() ? "" : series.front(), " and more, ", unit}));
  double key_x = left;
  for (std::size_t s = 0; s < series.size(); ++s) {
    svg += joined({"<rect class=\"", class_of(s), "\"", attribute("x", key_x), attribute("y", 8), attribute("width", 12),
                   attribute("height", 12), "/>\n", text_at(key_x + 16, 18, series[s], "start")});
    key_x += 30 + 7.2 * static_cast<double>(series[s].size());
  }
  for (const double tick : ticks) {
    svg += line(x_of(tick), top, x_of(tick), height - bottom, "grid");
    svg += text_at(x_of(tick), height - bottom + 18, tick_text(tick, ticks[1] - ticks[0]) + " " + unit, "middle");
  }
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double y = top + row * static_cast<double>(b) + 5;
    svg += text_at(left - 8, y + 14, bars[b].label, "end");
    double sum = 0;
    for (std::size_t s = 0; s < bars[b].parts.size(); ++s) {
      const double part = std::max(0.0, bars[b].parts[s]);
      if (part > 0)
        svg += joined({"<rect class=\"", class_of(s), "\"", attribute("x", x_of(sum)), attribute("y", y),
                       attribute("width", x_of(sum + part) - x_of(sum)), attribute("height", row - 10), "><title>",
                       escape_markup(joined({bars[b].label, ", ", series[s], ": ", format_fixed(part, 2), " ", unit})),
                       "</title></rect>\n"});
      sum += part;
    }
    svg += text_at(x_of(sum) + 6, y + 14, bars[b].total, "start");
  }
  return svg + "</svg>\n";
}

}  // namespace kvantage
