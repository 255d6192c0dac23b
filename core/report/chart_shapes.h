// Shapes that charts are made of. Private to core/report.
#pragma once

#include <string>

#include "core/report/drawing.h"

namespace kvantage::inline report {

inline constexpr double chart_width = 760;
/// Maximum width of a letter in a chart.
inline constexpr double chart_letter = 7.2;

Shape chart_line(double x1, double y1, double x2, double y2, int series = Shape::grid);
Shape chart_text(double x, double y, const std::string& text, Shape::Anchor anchor);
/// Circle, square, diamond, triangle, then polygons with more corners: distinguishable in black and white.
Shape chart_marker(double x, double y, int series, const std::string& title, double radius = 6);
/// The most that a text takes along its line: chart_letter for each character, twice that for an East Asian one.
double chart_text_width(const std::string& text);
/// `text`, or as much of its beginning as fits with an ellipsis; UTF-8 characters stay whole.
std::string chart_text_within(const std::string& text, double width);

}  // namespace kvantage::inline report
