#include "core/report/plots/drawing_parts.h"

#include <algorithm>

#include "core/report/chart_shapes.h"

namespace kvantage::inline plots {
namespace {

int series_of(const PlottedMark& mark) { return mark.group ? group_series(*mark.group) : published_series; }

std::string mark_text(const PlottedMark& mark) {
  return mark.label + ": " + number_text(mark.low) + (mark.high > mark.low ? " to " + number_text(mark.high) : "");
}

}  // namespace

std::string number_text(double value) { return figure_cell_text(Json(value)); }

std::string said(const std::string& name, const std::string& x, const std::string& at, const std::string& y,
                 double value, const std::optional<Interval>& interval) {
  std::string text = name + ": " + x + " " + at + ", " + (y.empty() ? "" : y + " ") + number_text(value);
  if (interval) text += " [" + number_text(interval->low) + ", " + number_text(interval->high) + "]";
  return text;
}

std::vector<LegendEntry> legend_of(const std::vector<std::string>& groups, LegendEntry::Sign sign,
                                   const std::vector<PlottedMark>& marks) {
  std::vector<LegendEntry> entries;
  entries.reserve(groups.size() + marks.size());
  for (std::size_t g = 0; g < groups.size(); ++g) entries.push_back({sign, group_series(g), groups[g]});
  for (const PlottedMark& mark : marks) {
    const LegendEntry::Sign own = mark.is_point()  ? LegendEntry::Sign::published_point
                                  : mark.is_span() ? LegendEntry::Sign::published_span
                                                   : LegendEntry::Sign::published_bar;
    if (std::ranges::none_of(entries, [&](const LegendEntry& known) { return known.text == mark.label; }))
      entries.push_back({own, series_of(mark), mark.label});
  }
  return entries;
}

void add_vertical(FigureFrame& frame, double x, const Interval& interval, int series) {
  const double low = frame.y_of(interval.low), high = frame.y_of(interval.high);
  frame.add(chart_line(x, low, x, high, series));
  for (const double y : {low, high}) frame.add(chart_line(x - cap_radius, y, x + cap_radius, y, series));
}

void add_marks(FigureFrame& frame, const std::vector<PlottedMark>& marks,
               const std::function<double(const PlottedMark&)>& x_of) {
  for (const PlottedMark& mark : marks) {
    const int series = series_of(mark);
    const double low = frame.y_of(mark.low), high = frame.y_of(mark.high);
    if (mark.is_span()) {
      Shape span{.kind = Shape::Kind::rectangle,
                 .places = {{frame.left(), high}, {frame.right(), std::max(low, high + 1)}},
                 .series = series,
                 .text = mark_text(mark)};
      span.pale = true;
      frame.add(std::move(span));
      for (const double y : {low, high}) {
        Shape edge = chart_line(frame.left(), y, frame.right(), y, series);
        edge.thin = true;
        frame.add(std::move(edge));
      }
      continue;
    }
    const double x = x_of(mark), half = mark_radius + 2;
    if (mark.is_point()) {
      Shape diamond{.kind = Shape::Kind::polygon, .places = {}, .series = series, .text = mark_text(mark)};
      diamond.places = {{x, low - half}, {x + half, low}, {x, low + half}, {x - half, low}};
      diamond.hollow = true;
      frame.add(std::move(diamond));
      frame.block(x - half, low - half, x + half, low + half);
      continue;
    }
    Shape bar = chart_line(x, low, x, high, series);
    bar.thin = true;
    bar.text = mark_text(mark);
    frame.add(std::move(bar));
    for (const double y : {low, high}) frame.add(chart_line(x - half, y, x + half, y, series));
  }
}

void add_marks_at_numbers(FigureFrame& frame, const std::vector<PlottedMark>& marks) {
  add_marks(frame, marks, [&](const PlottedMark& mark) { return frame.x_of(*mark.at); });
}

void add_to(FrameRange& range, double value, const std::optional<Interval>& interval) {
  range.add(value);
  if (!interval) return;
  range.add(interval->low);
  range.add(interval->high);
}

void add_to(FrameRange& x, FrameRange& y, const std::vector<PlottedMark>& marks) {
  for (const PlottedMark& mark : marks) {
    if (mark.at) x.add(*mark.at);
    y.add(mark.low);
    y.add(mark.high);
  }
}

Shape box_shape(double x1, double y1, double x2, double y2, int series, std::string text) {
  return {.kind = Shape::Kind::rectangle,
          .places = {{x1, std::min(y1, y2)}, {x2, std::max(y1, y2)}},
          .series = series,
          .text = std::move(text)};
}

}  // namespace kvantage::inline plots
