#include "core/report/chart_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

namespace {

/// Bytes of the character that starts here.
std::size_t bytes_of(unsigned char lead) { return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }
// Characters from U+3000 are drawn about twice as wide.
double width_of(unsigned char lead) { return lead >= 0xe3 ? 2 * chart_letter : chart_letter; }

std::uint32_t mixed(std::uint32_t from, std::uint32_t to, double share) {
  std::uint32_t color = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double a = from >> shift & 0xffU, b = to >> shift & 0xffU;
    color |= static_cast<std::uint32_t>(std::lround(a + (b - a) * share)) << shift;
  }
  return color;
}

}  // namespace

double chart_text_width(const std::string& text) {
  double width = 0;
  for (std::size_t i = 0; i < text.size(); i += bytes_of(static_cast<unsigned char>(text[i])))
    width += width_of(static_cast<unsigned char>(text[i]));
  return width;
}

std::string chart_text_within(const std::string& text, double width) {
  if (chart_text_width(text) <= width) return text;
  double left = width - chart_letter;
  std::size_t end = 0;
  while (end < text.size()) {
    left -= width_of(static_cast<unsigned char>(text[end]));
    if (left < 0) break;
    end += bytes_of(static_cast<unsigned char>(text[end]));
  }
  return text.substr(0, std::min(end, text.size())) + "\u2026";
}

std::uint32_t level_color(double level) {
  constexpr std::uint32_t low = 0xf3f8fd, high = 0x4f9bd0;
  return mixed(low, high, std::clamp(level, 0.0, 1.0));
}

std::uint32_t on_white(std::uint32_t color, double share) { return mixed(0xffffff, color, share); }

}  // namespace kvantage::inline report
