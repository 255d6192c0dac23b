#include "core/report/formats/drawing_formats.h"

#include <array>
#include <cstdio>

#include "core/report/markup.h"

namespace kvantage::inline formats {
namespace {

std::string attribute(const char* name, double value) { return joined({" ", name, "=\"", coordinate(value), "\""}); }

std::string hex(std::uint32_t color) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%06x", color);
  return text.data();
}

std::string class_of(const Shape& shape) {
  if (shape.series == Shape::grid) return "grid";
  const std::string color = "c" + std::to_string(static_cast<std::size_t>(shape.series) % series_colors.size());
  if (shape.kind == Shape::Kind::line) return (shape.thin ? "thin " : "bar ") + color;
  return shape.kind == Shape::Kind::polyline ? (shape.thin ? "curve thin " : "curve ") + color : color;
}

std::string closed(const char* name, const Shape& shape) {
  if (shape.text.empty()) return "/>\n";
  return joined({"><title>", escape_markup(shape.text), "</title></", name, ">\n"});
}

std::string text_svg(const Shape& shape) {
  constexpr std::array names{"start", "middle", "end"};
  const Place& at = shape.places.front();
  const std::string place =
      shape.upwards ? joined({" transform=\"translate(", coordinate(at.x), " ", coordinate(at.y), ") rotate(-90)\""})
                    : attribute("x", at.x) + attribute("y", at.y);
  return joined({"<text", place, " text-anchor=\"", names[static_cast<std::size_t>(shape.anchor)], "\">",
                 escape_markup(shape.text), "</text>\n"});
}

/// What a page has no class for.
std::string own_style(const Shape& shape) {
  if (shape.level >= 0) return joined({" style=\"fill:", hex(level_color(shape.level)), ";stroke:#ffffff\""});
  if (shape.pale) return " style=\"fill-opacity:0.18;stroke:none\"";
  return shape.hollow ? " style=\"fill:none;stroke-width:1.6\"" : std::string();
}

std::string shape_svg(const Shape& shape) {
  const std::string style = joined({" class=\"", class_of(shape), "\"", own_style(shape)});
  const Place& first = shape.places.front();
  const Place& last = shape.places.back();
  switch (shape.kind) {
    case Shape::Kind::line:
      return "<line" + style + attribute("x1", first.x) + attribute("y1", first.y) + attribute("x2", last.x) +
             attribute("y2", last.y) + closed("line", shape);
    case Shape::Kind::circle:
      return "<circle" + attribute("cx", first.x) + attribute("cy", first.y) + attribute("r", shape.radius) + style +
             closed("circle", shape);
    case Shape::Kind::rectangle:
      return "<rect" + style + attribute("x", first.x) + attribute("y", first.y) +
             attribute("width", last.x - first.x) + attribute("height", last.y - first.y) + closed("rect", shape);
    case Shape::Kind::polyline:
    case Shape::Kind::polygon: {
      const char* name = shape.kind == Shape::Kind::polygon ? "polygon" : "polyline";
      std::string points;
      for (const Place& place : shape.places)
        points += joined({points.empty() ? "" : " ", coordinate(place.x), ",", coordinate(place.y)});
      return joined({"<", name, " points=\"", points, "\"", style, closed(name, shape)});
    }
    case Shape::Kind::text:
      return text_svg(shape);
  }
  return {};
}

}  // namespace

std::string to_svg_file(const Drawing& drawing) {
  std::string style =
      "<style>text{font:12px sans-serif;fill:#1b1f24}.grid{stroke:#d0d7de}.bar{stroke-width:1.5}"
      ".curve{fill:none !important;stroke-width:1.8}.thin{stroke-width:1;stroke-dasharray:5 3}";
  for (std::size_t color = 0; color < series_colors.size(); ++color) {
    const std::string light = hex(series_colors[color].light);
    style += joined({".c", std::to_string(color), "{fill:", light, ";stroke:", light, "}"});
  }
  std::string svg = to_svg(drawing);
  svg.insert(svg.find(">\n") + 2, style + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  return svg;
}

std::string to_svg(const Drawing& drawing) {
  std::string svg =
      joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"", escape_markup(drawing.name),
              "\" viewBox=\"0 0 ", coordinate(drawing.width), " ", coordinate(drawing.height), "\">\n"});
  for (const Shape& shape : drawing.shapes) svg += shape_svg(shape);
  return svg + "</svg>\n";
}

}  // namespace kvantage::inline formats
