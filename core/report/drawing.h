// A chart as shapes, before it is written as SVG. y points down, in drawing units. Colors are series numbers,
// because a dark page uses other colors than paper.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kvantage::inline report {

struct Place {
  double x = 0, y = 0;
};

struct Shape {
  enum class Kind : std::uint8_t { line, polyline, polygon, circle, rectangle, text };
  enum class Anchor : std::uint8_t { start, middle, end };

  Kind kind = Kind::line;
  std::vector<Place> places;  // line: its ends; polyline, polygon: its corners; rectangle: upper left and lower right;
                              // otherwise the center or anchor
  double radius = 0;          // of a circle
  int series = grid;          // the color
  std::string text = {};      // the text; for other shapes: a description
  Anchor anchor = Anchor::start;
  bool upwards = false;  // text is rotated to read upwards
  bool thin = false;     // of lines: dashed and thinner
  bool pale = false;     // a band: filled lightly, without an outline
  bool hollow = false;   // an outline on the page's own color
  double level = -1;     // a cell of a heat map: its color's place on the scale, 0 to 1; below 0: colored by series

  static constexpr int grid = -1;
};

struct Drawing {
  double width = 0, height = 0;
  std::string name;  // a description for screen readers
  std::vector<Shape> shapes;
};

struct SeriesColor {
  std::uint32_t light, dark;  // 0xrrggbb, on a light and on a dark page
};
/// After Okabe and Ito (safe for color-blind readers), lighter on a dark page.
inline constexpr std::array<SeriesColor, 8> series_colors{{{0x0072b2, 0x56b4e9},
                                                           {0xd55e00, 0xf28e4b},
                                                           {0x009e73, 0x35c99c},
                                                           {0xb0508f, 0xd98fc0},
                                                           {0xa07a00, 0xe0b83c},
                                                           {0x3a9bd0, 0x9ad0f5},
                                                           {0x6b6b6b, 0xa8a8a8},
                                                           {0x7b3294, 0xc2a5cf}}};
inline constexpr double chart_text_size = 12;

/// 0xrrggbb of a cell's level, 0 to 1: from near white to a blue on which dark text is legible, ordered by brightness.
std::uint32_t level_color(double level);
/// `share` of a color (0 to 1) on white: what a band looks like on paper.
std::uint32_t on_white(std::uint32_t color, double share);
inline constexpr double pale_share = 0.18;

}  // namespace kvantage::inline report
