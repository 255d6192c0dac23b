// The frame of a figure's drawing: legend, axes with their titles, and what text is already where. No two texts
// overlap and none leaves the drawing: long ones are shortened, turned upright or left out.
#pragma once

#include "core/report/drawing.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline plots {

struct LegendEntry {
  enum class Sign { line, marker, box, published_point, published_bar, published_span, scale };
  Sign sign = Sign::marker;
  int series = 0;
  std::string text;
};

struct FrameAxis {
  std::string title;
  double low = 0, high = 1;          // of what is drawn; the axis ends at round numbers
  std::vector<std::string> names{};  // categories, at 0, 1, ...; those of y from top to bottom. Empty: numbers
  double least_room = 0;             // of a category, in units of the drawing
};

/// The smallest range that has room for these numbers. Ranges close to 0 are extended to 0.
struct FrameRange {
  double low = 0, high = 0;
  bool empty = true;
  void add(double value);
  FrameAxis axis(std::string title, bool from_zero = true) const;
};

/// The color of a group: gray is left to what a paper reports.
int group_series(std::size_t group);
inline constexpr int published_series = gray_series;

class FigureFrame {
 public:
  FigureFrame(FrameAxis x, FrameAxis y, const std::vector<LegendEntry>& legend);
  double x_of(double value) const;
  double y_of(double value) const;
  double left() const { return left_; }
  double right() const { return width_ - right_; }
  double top() const { return top_; }
  double foot() const { return top_ + plot_height_; }
  /// Room of a category.
  double column_width() const { return (right() - left_) / static_cast<double>(x_.names.size()); }
  double row_height() const { return plot_height_ / static_cast<double>(y_.names.size()); }
  void add(Shape shape) { shapes_.push_back(std::move(shape)); }
  /// Nothing may be written there.
  void block(double x1, double y1, double x2, double y2) { taken_.push_back({x1, y1, x2, y2}); }
  /// Beside a mark of this radius, at the first free place; false where there is none.
  bool add_label(double x, double y, const std::string& text, double radius);
  /// Centered there; false where it overlaps another.
  bool add_centered(double x, double y, const std::string& text);
  Drawing take(std::string name);

 private:
  struct Box {
    double x1, y1, x2, y2;
  };
  bool put(double x, double y, const std::string& text, Shape::Anchor anchor);
  void measure();
  void draw_legend(const std::vector<LegendEntry>& legend);
  void draw_sign(const LegendEntry& entry, double x, double y);
  void draw_x_numbers();
  void draw_x_names();
  void draw_y_axis();
  void draw_titles();

  FrameAxis x_, y_;
  std::vector<double> x_ticks_, y_ticks_;
  double left_ = 64, right_ = 24, width_ = 0, top_ = 0, plot_height_ = 230, bottom_ = 52;
  double name_room_ = 0;  // of upright names of categories; 0: they are level
  std::vector<Shape> shapes_;
  std::vector<Box> taken_;
};

}  // namespace kvantage::inline plots
