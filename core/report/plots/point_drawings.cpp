#include "core/report/plots/point_drawings.h"

#include "core/report/chart_shapes.h"
#include "core/report/plot_axes.h"
#include "core/report/plots/drawing_parts.h"
#include "core/report/plots/plotted_points.h"

namespace kvantage::inline plots {
namespace {

constexpr std::size_t max_labels = 200;

void add_band(FigureFrame& frame, const PlottedLine& line, int series) {
  Shape band{.kind = Shape::Kind::polygon, .places = {}, .series = series};
  band.places.reserve(2 * line.points.size());
  for (const PlottedPoint& point : line.points)
    band.places.push_back({frame.x_of(point.x), frame.y_of(point.interval->high)});
  for (auto point = line.points.rbegin(); point != line.points.rend(); ++point)
    band.places.push_back({frame.x_of(point->x), frame.y_of(point->interval->low)});
  band.pale = true;
  frame.add(std::move(band));
}

}  // namespace

Drawing lines_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const bool steps = plot.kind == FigurePlot::Kind::cdf;
  const std::vector<PlottedLine> lines = steps ? plotted_curves(table) : plotted_lines(table);
  if (lines.empty()) return {};
  const auto marks = plotted_marks(table, names_of(lines));
  FrameRange x, y;
  for (const PlottedLine& line : lines)
    for (const PlottedPoint& point : line.points) {
      x.add(point.x);
      add_to(y, point.y, point.interval);
    }
  add_to(x, y, marks);
  if (steps) y.add(0);
  const std::string y_title = plotted_y_title(plot);
  FigureFrame frame(x.axis(plot.x), y.axis(y_title), legend_of(names_of(lines), LegendEntry::Sign::line, marks));
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (has_band(lines[i])) add_band(frame, lines[i], group_series(i));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& points = lines[i].points;
    const int series = group_series(i);
    const bool bars = !has_band(lines[i]);
    Shape curve{.kind = Shape::Kind::polyline, .places = {}, .series = series, .text = lines[i].name};
    if (steps) curve.places.push_back({frame.x_of(points.front().x), frame.y_of(0)});
    for (const PlottedPoint& point : points) {
      if (steps && curve.places.size() > 1) curve.places.push_back({frame.x_of(point.x), curve.places.back().y});
      curve.places.push_back({frame.x_of(point.x), frame.y_of(point.y)});
    }
    if (steps) curve.places.push_back({frame.right(), curve.places.back().y});
    if (curve.places.size() > 1) frame.add(std::move(curve));
    for (const std::size_t p : marked_points(points.size(), true)) {
      const double at = frame.x_of(points[p].x);
      if (points[p].interval && bars) add_vertical(frame, at, *points[p].interval, series);
      frame.add(
          chart_marker(at, frame.y_of(points[p].y), series,
                       said(lines[i].name, plot.x, number_text(points[p].x), y_title, points[p].y, points[p].interval),
                       mark_radius));
    }
  }
  add_marks_at_numbers(frame, marks);
  return frame.take(table.title);
}

Drawing cloud_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const auto clouds = plotted_clouds(table);
  if (clouds.empty()) return {};
  const auto marks = plotted_marks(table, names_of(clouds));
  FrameRange x, y;
  for (const PlottedCloud& cloud : clouds)
    for (const CloudPoint& point : cloud.points) {
      add_to(x, point.x, point.x_interval);
      add_to(y, point.y, point.y_interval);
    }
  add_to(x, y, marks);
  const std::string y_title = plotted_y_title(plot);
  FigureFrame frame(x.axis(plot.x), y.axis(y_title), legend_of(names_of(clouds), LegendEntry::Sign::marker, marks));
  for (std::size_t g = 0; g < clouds.size(); ++g)
    for (const CloudPoint& point : clouds[g].points) {
      const double at = frame.x_of(point.x), height = frame.y_of(point.y);
      const int series = group_series(g);
      if (point.x_interval) {
        const double from = frame.x_of(point.x_interval->low), to = frame.x_of(point.x_interval->high);
        frame.add(chart_line(from, height, to, height, series));
        for (const double end : {from, to})
          frame.add(chart_line(end, height - cap_radius, end, height + cap_radius, series));
      }
      if (point.y_interval) add_vertical(frame, at, *point.y_interval, series);
      const std::string who =
          point.label.empty() || point.label == clouds[g].name ? clouds[g].name : clouds[g].name + ", " + point.label;
      frame.add(chart_marker(at, height, series,
                             said(who, plot.x, number_text(point.x), y_title, point.y, point.y_interval), mark_radius));
      frame.block(at - mark_radius, height - mark_radius, at + mark_radius, height + mark_radius);
    }
  add_marks_at_numbers(frame, marks);
  // With one column of `by` the legend names each point.
  std::size_t labels = 0;
  if (plot.by.size() > 1)
    for (const PlottedCloud& cloud : clouds)
      for (const CloudPoint& point : cloud.points)
        if (!point.label.empty() && labels++ < max_labels)
          frame.add_label(frame.x_of(point.x), frame.y_of(point.y), point.label, mark_radius);
  return frame.take(table.title);
}

}  // namespace kvantage::inline plots
