#include "core/report/plots/figure_frame.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/report/chart_shapes.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline plots {
namespace {

using Anchor = Shape::Anchor;

constexpr double legend_line = 18, text_above = 10, text_below = 3, text_high = text_above + text_below + 1;
constexpr double max_width = 2400, max_rows_height = 3000, max_upright = 132, max_row_name = 180;

double log10_of(double value) { return std::log10(std::max(std::abs(value), 1e-300)); }

// Decimals where they stay short, otherwise as many digits as distinguish ticks.
std::string number_label(double value, double step, double largest) {
  if (largest < 1e6 && step >= 0.99e-4) return tick_text(value, step);
  if (std::abs(value) < 1e-9 * step) return "0";
  const int digits = std::clamp(static_cast<int>(std::ceil(log10_of(largest) - log10_of(step))) + 1, 1, 15);
  std::array<char, 64> buffer{};
  const auto [end, code] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return code == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string tick_label(const std::vector<double>& ticks, std::size_t i) {
  return number_label(ticks[i], ticks[1] - ticks[0], std::max(std::abs(ticks.front()), std::abs(ticks.back())));
}

double widest_of(const std::vector<std::string>& texts) {
  double widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, chart_text_width(text));
  return widest;
}

}  // namespace

void FrameRange::add(double value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

FrameAxis FrameRange::axis(std::string title, bool from_zero) const {
  FrameAxis axis{std::move(title), low, high};
  if (empty) axis.high = 1;
  if (from_zero) axis.low = AxisRange{axis.low, axis.high}.from_zero().low;
  // Numbers that are equal, or nearly, still have an axis with ticks that differ.
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  if (axis.high - axis.low <= 1e-9 * largest || axis.high == axis.low) {
    const double half = largest > 0 ? 0.05 * largest : 0.5;
    axis.low -= half;
    axis.high += half;
  }
  return axis;
}

int group_series(std::size_t group) { return series_number(group); }

FigureFrame::FigureFrame(FrameAxis x, FrameAxis y, const std::vector<LegendEntry>& legend)
    : x_(std::move(x)), y_(std::move(y)) {
  measure();
  draw_legend(legend);
  draw_y_axis();
  if (x_.names.empty())
    draw_x_numbers();
  else
    draw_x_names();
  draw_titles();
}

void FigureFrame::measure() {
  std::vector<std::string> beside;
  if (y_.names.empty()) {
    y_ticks_ = axis_ticks(y_.low, y_.high, 5);
    beside.reserve(y_ticks_.size());
    for (std::size_t i = 0; i < y_ticks_.size(); ++i) beside.push_back(tick_label(y_ticks_, i));
  } else {
    for (std::string& name : y_.names) name = chart_text_within(name, max_row_name);
    beside = y_.names;
    const auto rows = static_cast<double>(y_.names.size());
    plot_height_ = std::min(rows * std::clamp(230 / rows, 16.0, 40.0), max_rows_height);
    plot_height_ = std::max(plot_height_, 80.0);
  }
  left_ = std::max(left_, 30 + widest_of(beside));
  width_ = chart_width;
  if (x_.names.empty()) {
    x_ticks_ = axis_ticks(x_.low, x_.high, 8);
    right_ = std::max(right_, chart_text_width(tick_label(x_ticks_, x_ticks_.size() - 1)) / 2 + 2);
    return;
  }
  const auto columns = static_cast<double>(x_.names.size());
  width_ = std::clamp(left_ + right_ + columns * std::max(text_high + 1, x_.least_room), chart_width, max_width);
  if (widest_of(x_.names) + 8 <= column_width()) return;
  for (std::string& name : x_.names) name = chart_text_within(name, max_upright);
  name_room_ = widest_of(x_.names);
  bottom_ = name_room_ + 40;
}

double FigureFrame::x_of(double value) const {
  if (!x_.names.empty()) return left_ + (value + 0.5) * column_width();
  return left_ + (value - x_ticks_.front()) / (x_ticks_.back() - x_ticks_.front()) * (right() - left_);
}

double FigureFrame::y_of(double value) const {
  if (!y_.names.empty()) return top_ + (value + 0.5) * row_height();
  return foot() - (value - y_ticks_.front()) / (y_ticks_.back() - y_ticks_.front()) * plot_height_;
}

// Rows of names next to their signs.
void FigureFrame::draw_legend(const std::vector<LegendEntry>& legend) {
  double x = left_, y = 16;
  for (const LegendEntry& entry : legend) {
    const double sign = entry.sign == LegendEntry::Sign::scale ? 78 : 26;
    const std::string text = chart_text_within(entry.text, right() - left_ - sign);
    const double wide = sign + chart_text_width(text);
    if (x > left_ && x + wide > right()) {
      x = left_;
      y += legend_line;
    }
    draw_sign(entry, x, y - 4);
    add(chart_text(x + sign, y, text, Anchor::start));
    x += wide + 14;
  }
  top_ = legend.empty() ? 12 : y + 12;
}

void FigureFrame::draw_sign(const LegendEntry& entry, double x, double y) {
  Shape box{.kind = Shape::Kind::rectangle, .places = {{x + 4, y - 6}, {x + 16, y + 6}}, .series = entry.series};
  switch (entry.sign) {
    case LegendEntry::Sign::line:
      add(chart_line(x, y, x + 20, y, entry.series));
      add(chart_marker(x + 10, y, entry.series, {}, 4));
      break;
    case LegendEntry::Sign::marker:
      add(chart_marker(x + 10, y, entry.series, {}, 4));
      break;
    case LegendEntry::Sign::box:
      add(std::move(box));
      break;
    case LegendEntry::Sign::published_point: {
      Shape mark{.kind = Shape::Kind::polygon, .places = {}, .series = entry.series};
      mark.places = {{x + 10, y - 6}, {x + 16, y}, {x + 10, y + 6}, {x + 4, y}};
      mark.hollow = true;
      add(std::move(mark));
      break;
    }
    case LegendEntry::Sign::published_bar:
      add(chart_line(x + 10, y - 7, x + 10, y + 7, entry.series));
      shapes_.back().thin = true;
      break;
    case LegendEntry::Sign::published_span:
      box.places = {{x, y - 6}, {x + 20, y + 6}};
      box.pale = true;
      add(std::move(box));
      break;
    case LegendEntry::Sign::scale: {
      constexpr int steps = 12;
      for (int i = 0; i < steps; ++i) {
        Shape step{.kind = Shape::Kind::rectangle, .places = {{x + 6 * i, y - 6}, {x + 6 * i + 6, y + 6}}};
        step.level = static_cast<double>(i) / (steps - 1);
        add(std::move(step));
      }
      break;
    }
  }
}

void FigureFrame::draw_y_axis() {
  double free_above = foot() + legend_line;
  const auto label = [&](double y, const std::string& text) {
    if (y + 4 + text_below > free_above) return;
    add(chart_text(left_ - 8, y + 4, text, Anchor::end));
    free_above = y + 4 - text_above - 1;
  };
  if (y_.names.empty()) {
    for (std::size_t i = 0; i < y_ticks_.size(); ++i) {
      const double y = y_of(y_ticks_[i]);
      add(chart_line(left_, y, right(), y));
      label(y, tick_label(y_ticks_, i));
    }
    return;
  }
  for (std::size_t i = y_.names.size(); i-- > 0;) label(y_of(static_cast<double>(i)), y_.names[i]);
}

void FigureFrame::draw_x_numbers() {
  double free_from = 0;
  for (std::size_t i = 0; i < x_ticks_.size(); ++i) {
    const double x = x_of(x_ticks_[i]);
    const std::string text = tick_label(x_ticks_, i);
    add(chart_line(x, top_, x, foot()));
    const double half = chart_text_width(text) / 2;
    if (x - half < free_from) continue;
    add(chart_text(x, foot() + 18, text, Anchor::middle));
    free_from = x + half + 6;
  }
}

void FigureFrame::draw_x_names() {
  add(chart_line(left_, foot(), right(), foot()));
  double free_from = 0;
  for (std::size_t i = 0; i < x_.names.size(); ++i) {
    const double x = x_of(static_cast<double>(i));
    const double half = name_room_ > 0 ? text_high / 2 : chart_text_width(x_.names[i]) / 2;
    if (x - half < free_from) continue;
    if (name_room_ > 0) {
      add(chart_text(x + 4, foot() + 8, x_.names[i], Anchor::end));
      shapes_.back().upwards = true;
    } else {
      add(chart_text(x, foot() + 18, x_.names[i], Anchor::middle));
    }
    free_from = x + half;
  }
}

void FigureFrame::draw_titles() {
  const double height = foot() + bottom_;
  const double middle = (left_ + right()) / 2, room = 2 * std::min(middle, width_ - middle) - 8;
  add(chart_text(middle, height - 10, chart_text_within(x_.title, room), Anchor::middle));
  const double center = (top_ + foot()) / 2, tall = std::min(2 * center - 8, plot_height_ + 16);
  if (y_.title.empty()) return;
  add(chart_text(16, center, chart_text_within(y_.title, tall), Anchor::middle));
  shapes_.back().upwards = true;
}

bool FigureFrame::put(double x, double y, const std::string& text, Anchor anchor) {
  const double wide = chart_text_width(text), back = anchor == Anchor::end      ? wide
                                                     : anchor == Anchor::middle ? wide / 2
                                                                                : 0;
  const Box box{x - back, y - text_above, x - back + wide, y + text_below};
  if (box.x1 < left_ || box.x2 > right() || box.y1 < top_ || box.y2 > foot()) return false;
  if (std::ranges::any_of(taken_, [&](const Box& other) {
        return box.x1 < other.x2 && other.x1 < box.x2 && box.y1 < other.y2 && other.y1 < box.y2;
      }))
    return false;
  taken_.push_back(box);
  add(chart_text(x, y, text, anchor));
  return true;
}

bool FigureFrame::add_label(double x, double y, const std::string& text, double radius) {
  const double away = radius + 4;
  return put(x + away, y + 4, text, Anchor::start) || put(x - away, y + 4, text, Anchor::end) ||
         put(x, y - away, text, Anchor::middle) || put(x, y + away + text_above, text, Anchor::middle) ||
         put(x + away, y - away, text, Anchor::start) || put(x - away, y - away, text, Anchor::end) ||
         put(x + away, y + away + text_above, text, Anchor::start) ||
         put(x - away, y + away + text_above, text, Anchor::end);
}

bool FigureFrame::add_centered(double x, double y, const std::string& text) {
  return put(x, y + 4, text, Anchor::middle);
}

Drawing FigureFrame::take(std::string name) { return {width_, foot() + bottom_, std::move(name), std::move(shapes_)}; }

}  // namespace kvantage::inline plots
