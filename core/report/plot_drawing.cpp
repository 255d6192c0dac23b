#include "core/report/plot_drawing.h"

#include <algorithm>

#include "core/report/chart_shapes.h"
#include "core/report/metric_list.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline report {
namespace {

constexpr double left = 64, right = 24, legend_line = 18, plot_height = 230, bottom = 52;
constexpr double mark_radius = 4;

struct Axes {
  PlotScales scales;
  double top = 0;
  double x_of(double value) const { return left + scales.x.share(value) * (chart_width - left - right); }
  double y_of(double value) const { return top + plot_height - scales.y.share(value) * plot_height; }
};

Shape plain_box(double x1, double y1, double x2, double y2, int series, std::string text) {
  return {.kind = Shape::Kind::rectangle, .places = {{x1, y1}, {x2, y2}}, .series = series, .text = std::move(text)};
}

// Rows of names next to their marks; returns their height.
double draw_legend(const ReportPlot& plot, const std::vector<int>& colors, std::vector<Shape>& shapes) {
  double x = left, y = 16;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    const double wide = 40 + chart_letter * static_cast<double>(series.shown().size());
    if (x > left && x + wide > chart_width - right) {
      x = left;
      y += legend_line;
    }
    if (plot.kind == ReportPlot::Kind::histogram) {
      shapes.push_back(plain_box(x + 4, y - 10, x + 16, y + 2, colors[i], {}));
    } else if (plot.kind != ReportPlot::Kind::points) {
      shapes.push_back(chart_line(x, y - 4, x + 20, y - 4, colors[i]));
      shapes.back().thin = series.aside;
    }
    if (!series.aside && plot.kind != ReportPlot::Kind::histogram)
      shapes.push_back(chart_marker(x + 10, y - 4, colors[i], {}, mark_radius));
    shapes.push_back(chart_text(x + 26, y, series.shown(), Shape::Anchor::start));
    x += wide;
  }
  return y + 12;
}

std::string with_unit(double value, const std::string& unit) {
  return metric_text(value, false) + (unit == "1" ? "" : " " + unit);
}

std::string provenance_note(const PlotSeries& series) {
  return series.provenance == Provenance::measured ? "" : std::string(" (") + display_name(series.provenance) + ")";
}

std::string said(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  std::string text = series.shown() + ": " + plot.x_label + " " + with_unit(point.x, plot.x_unit) + ", " +
                     plot.y_label + " " + with_unit(point.y, plot.y_unit);
  if (point.interval) text += " " + metric_text(point.interval);
  if (point.n > 0) text += ", n = " + std::to_string(point.n);
  return text + provenance_note(series);
}

void draw_grid(const ReportPlot& plot, const Axes& axes, std::vector<Shape>& shapes) {
  const double foot = axes.top + plot_height;
  // Labels of close ticks on a logarithmic axis would overlap.
  double free_from = 0;
  const auto& [x_scale, y_scale] = axes.scales;
  for (std::size_t i = 0; i < x_scale.ticks.size(); ++i) {
    const double x = axes.x_of(x_scale.ticks[i]);
    const std::string text = x_scale.label(i);
    shapes.push_back(chart_line(x, axes.top, x, foot));
    const double half = chart_letter * static_cast<double>(text.size()) / 2;
    if (x - half < free_from) continue;
    shapes.push_back(chart_text(x, foot + 18, text, Shape::Anchor::middle));
    free_from = x + half + 6;
  }
  double free_above = foot + legend_line;
  for (std::size_t i = 0; i < y_scale.ticks.size(); ++i) {
    const double y = axes.y_of(y_scale.ticks[i]);
    shapes.push_back(chart_line(left, y, chart_width - right, y));
    if (y + 13 > free_above) continue;
    shapes.push_back(chart_text(left - 8, y + 4, y_scale.label(i), Shape::Anchor::end));
    free_above = y;
  }
  shapes.push_back(chart_text((left + chart_width - right) / 2, foot + 42,
                              axis_text(plot.x_label, plot.x_unit) + scale_text(x_scale), Shape::Anchor::middle));
  shapes.push_back(
      chart_text(16, axes.top + plot_height / 2, axis_text(plot.y_label, plot.y_unit), Shape::Anchor::middle));
  shapes.back().upwards = true;
}

void draw_series(const ReportPlot& plot, const PlotSeries& series, int color, const Axes& axes,
                 std::vector<Shape>& shapes) {
  if (plot.kind != ReportPlot::Kind::points && series.points.size() > 1) {
    Shape curve{.kind = Shape::Kind::polyline, .places = {}, .series = color, .text = series.shown()};
    curve.thin = series.aside;
    for (const PlotPoint& point : series.points) {
      if (plot.kind == ReportPlot::Kind::steps && !curve.places.empty())
        curve.places.push_back({axes.x_of(point.x), curve.places.back().y});
      curve.places.push_back({axes.x_of(point.x), axes.y_of(point.y)});
    }
    shapes.push_back(std::move(curve));
  }
  if (series.aside) return;
  for (const std::size_t i : marked_points(series.points.size(), plot.kind != ReportPlot::Kind::points)) {
    const PlotPoint& point = series.points[i];
    const double x = axes.x_of(point.x);
    if (point.interval)
      shapes.push_back(chart_line(x, axes.y_of(point.interval->low), x, axes.y_of(point.interval->high), color));
    shapes.push_back(chart_marker(x, axes.y_of(point.y), color, said(plot, series, point), mark_radius));
  }
}

// The bars of a bin are side by side.
void draw_bins(const ReportPlot& plot, std::size_t series, int color, const Axes& axes, std::vector<Shape>& shapes) {
  const PlotSeries& own = plot.series[series];
  const auto all = static_cast<double>(plot.series.size()), index = static_cast<double>(series);
  for (std::size_t bin = 0; bin + 1 < own.points.size(); ++bin) {
    if (own.points[bin].y <= 0) continue;
    const double from = own.points[bin].x, to = own.points[bin + 1].x;
    const double begin = axes.x_of(from), wide = (axes.x_of(to) - begin) / all;
    shapes.push_back(plain_box(
        begin + wide * index, axes.y_of(own.points[bin].y), begin + wide * (index + 1), axes.y_of(0), color,
        own.shown() + ": " + plot.x_label + " " + metric_text(from, false) + " to " + with_unit(to, plot.x_unit) +
            ", " + plot.y_label + " " + metric_text(own.points[bin].y, true) + provenance_note(own)));
  }
}

}  // namespace

Drawing plot_drawing(const ReportPlot& plot) {
  if (plot.series.empty()) return {};
  Drawing drawing{
      chart_width, 0, axis_text(plot.y_label, plot.y_unit) + " against " + axis_text(plot.x_label, plot.x_unit), {}};
  const std::vector<int> colors = series_numbers(plot);
  Axes axes{scales_of(plot, false)};
  axes.top = draw_legend(plot, colors, drawing.shapes);
  drawing.height = axes.top + plot_height + bottom;
  draw_grid(plot, axes, drawing.shapes);
  if (plot.diagonal) {
    drawing.shapes.push_back(chart_line(left, axes.top + plot_height, chart_width - right, axes.top, gray_series));
    drawing.shapes.back().thin = true;
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    if (plot.kind == ReportPlot::Kind::histogram)
      draw_bins(plot, i, colors[i], axes, drawing.shapes);
    else
      draw_series(plot, plot.series[i], colors[i], axes, drawing.shapes);
  return drawing;
}

}  // namespace kvantage::inline report
