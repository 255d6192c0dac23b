#include <numbers>

#include "core/base/units.h"
#include "core/report/formats/drawing_formats.h"
#include "core/report/formats/pdf_text.h"

namespace kvantage::inline formats {
namespace {

constexpr std::uint32_t grid_color = 0xd0d7de, ink = 0x1b1f24, paper = 0xffffff;

class Operators {
 public:
  Operators(double left, double top, double scale, std::string font)
      : left_(left), top_(top), scale_(scale), font_(std::move(font)) {}

  void add(const Shape& shape) {
    const bool grid = shape.series == Shape::grid;
    const std::uint32_t color = color_of(shape);
    switch (shape.kind) {
      case Shape::Kind::text:
        return add_text(shape);
      case Shape::Kind::line:
      case Shape::Kind::polyline:
        text_ += rgb(color, "RG") + number(grid || shape.thin ? 0.5 : 1.2) + " w\n" + (shape.thin ? "[3 2] 0 d\n" : "");
        for (std::size_t i = 0; i < shape.places.size(); ++i) text_ += at(shape.places[i]) + (i == 0 ? "m\n" : "l\n");
        text_ += shape.thin ? "S\n[] 0 d\n" : "S\n";
        return;
      case Shape::Kind::rectangle: {
        const Place &from = shape.places.front(), &to = shape.places.back();
        text_ += (shape.hollow ? rgb(color, "RG") : rgb(color, "rg") + rgb(paper, "RG")) + "0.5 w\n" +
                 at({from.x, to.y}) + number((to.x - from.x) * scale_) + " " + number((to.y - from.y) * scale_) +
                 (shape.hollow ? " re\nS\n"
                  : shape.pale ? " re\nf\n"
                               : " re\nB\n");
        return;
      }
      case Shape::Kind::polygon:
        text_ += shape.hollow ? rgb(color, "RG") + "1.2 w\n" : rgb(color, "rg");
        for (std::size_t i = 0; i < shape.places.size(); ++i) text_ += at(shape.places[i]) + (i == 0 ? "m\n" : "l\n");
        text_ += shape.hollow ? "s\n" : "f\n";
        return;
      case Shape::Kind::circle:
        add_circle(shape.places.front(), shape.radius, color);
        return;
    }
  }
  std::string take() { return "q\n" + std::move(text_) + "Q\n"; }

 private:
  static std::uint32_t color_of(const Shape& shape) {
    if (shape.level >= 0) return level_color(shape.level);
    if (shape.series == Shape::grid) return shape.pale ? on_white(grid_color, pale_share) : grid_color;
    const std::uint32_t color = series_colors[static_cast<std::size_t>(shape.series) % series_colors.size()].light;
    return shape.pale ? on_white(color, pale_share) : color;
  }
  static std::string number(double value) { return format_fixed(value, 2); }
  std::string at(const Place& place) const {
    return number(left_ + place.x * scale_) + " " + number(top_ - place.y * scale_) + " ";
  }
  static std::string rgb(std::uint32_t color, const char* what) {
    std::string text;
    for (const int shift : {16, 8, 0}) text += format_fixed(static_cast<double>(color >> shift & 0xff) / 255, 3) + " ";
    return text + what + "\n";
  }
  // Four curves; the standard handle length keeps them within 0.03 % of the circle.
  void add_circle(const Place& middle, double radius, std::uint32_t color) {
    constexpr double handle = 4.0 / 3 * (std::numbers::sqrt2 - 1);
    constexpr std::array<Place, 4> corners{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    const auto on = [&](double x, double y) { return at({middle.x + x * radius, middle.y + y * radius}); };
    text_ += rgb(color, "rg") + on(1, 0) + "m\n";
    for (std::size_t i = 0; i < 4; ++i) {
      const Place from = corners[i], to = corners[(i + 1) % 4];
      text_ += on(from.x + handle * to.x, from.y + handle * to.y) + on(to.x + handle * from.x, to.y + handle * from.y) +
               on(to.x, to.y) + "c\n";
    }
    text_ += "f\n";
  }
  void add_text(const Shape& shape) {
    const std::string letters = pdf_letters(shape.text);
    const double size = chart_text_size * 0.85 * scale_,
                 width = courier_width * size * static_cast<double>(letters.size());
    const double back = shape.anchor == Shape::Anchor::end      ? width
                        : shape.anchor == Shape::Anchor::middle ? width / 2
                                                                : 0;
    const double x = left_ + shape.places.front().x * scale_ - (shape.upwards ? 0 : back);
    const double y = top_ - shape.places.front().y * scale_ - (shape.upwards ? back : 0);
    text_ += rgb(ink, "rg") + "BT\n/" + font_ + " " + number(size) + " Tf\n" +
             (shape.upwards ? "0 1 -1 0 " : "1 0 0 1 ") + number(x) + " " + number(y) + " Tm\n" + pdf_string(letters) +
             " Tj\nET\n";
  }

  double left_, top_, scale_;
  std::string font_, text_;
};

}  // namespace

std::string to_pdf_operators(const Drawing& drawing, double left, double top, double scale, const std::string& font) {
  Operators operators(left, top, scale, font);
  for (const Shape& shape : drawing.shapes) operators.add(shape);
  return operators.take();
}

}  // namespace kvantage::inline formats
