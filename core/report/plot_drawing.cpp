#include "core/report/plot_drawing.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/report/chart.h"
#include "core/report/chart_shapes.h"
#include "core/report/metric_list.h"

namespace kvantage::inline report {
namespace {

constexpr double left = 64, right = 24, legend_line = 18, plot_height = 230, bottom = 52;
constexpr int gray = 6;
constexpr double mark_radius = 4;

struct Range {
  double low = 0, high = 0;
};

struct Axes {
  std::vector<double> x, y;
  double top = 0;
  bool logarithmic = false;
  double x_of(double value) const { return left + share(x, value) * (chart_width - left - right); }
  double y_of(double value) const { return top + plot_height - share(y, value) * plot_height; }

 private:
  double share(const std::vector<double>& ticks, double value) const {
    const auto scale = [this](double at) { return logarithmic ? std::log(std::max(at, 1e-12)) : at; };
    return (scale(value) - scale(ticks.front())) / (scale(ticks.back()) - scale(ticks.front()));
  }
};

template <class Low, class High>
Range range_of(const ReportPlot& plot, Low low, High high) {
  const PlotPoint& first = plot.series.front().points.front();
  Range range{low(first), high(first)};
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      range = {std::min(range.low, low(point)), std::max(range.high, high(point))};
  return range;
}

// Ranges close to 0 are extended to 0.
Range from_zero(Range range) { return range.low > 0 && range.low < 0.7 * range.high ? Range{0, range.high} : range; }

Axes axes_of(const ReportPlot& plot) {
  Range x = range_of(
      plot, [](const PlotPoint& p) { return p.x; }, [](const PlotPoint& p) { return p.x; });
  Range y = range_of(
      plot, [](const PlotPoint& p) { return p.interval ? std::min(p.y, p.interval->low) : p.y; },
      [](const PlotPoint& p) { return p.interval ? std::max(p.y, p.interval->high) : p.y; });
  Axes axes;
  if (plot.diagonal) x = y = {std::min(x.low, y.low), std::max(x.high, y.high)};
  axes.logarithmic = plot.diagonal && x.low > 0 && x.high > 10 * x.low;
  if (axes.logarithmic) {
    axes.x = axes.y = log_axis_ticks(x.low, x.high);
    return axes;
  }
  x = from_zero(x);
  y = plot.diagonal ? x : from_zero(y);
  axes.x = axis_ticks(x.low, x.high, plot.diagonal ? 6 : 8);
  axes.y = plot.diagonal ? axes.x : axis_ticks(y.low, y.high, 5);
  return axes;
}

std::vector<int> colors_of(const ReportPlot& plot) {
  std::vector<int> colors;
  int next = 0;
  for (const PlotSeries& series : plot.series) {
    int color = gray;
    if (!series.aside) {
      if (next % static_cast<int>(series_colors.size()) == gray) ++next;
      color = next++;
    } else {
      for (std::size_t i = 0; i < colors.size(); ++i)
        if (!plot.series[i].aside && series.name.starts_with(plot.series[i].name)) color = colors[i];
    }
    colors.push_back(color);
  }
  return colors;
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
    if (plot.kind != ReportPlot::Kind::points) {
      shapes.push_back(chart_line(x, y - 4, x + 20, y - 4, colors[i]));
      shapes.back().thin = series.aside;
    }
    if (!series.aside) shapes.push_back(chart_marker(x + 10, y - 4, colors[i], {}, mark_radius));
    shapes.push_back(chart_text(x + 26, y, series.shown(), Shape::Anchor::start));
    x += wide;
  }
  return y + 12;
}

std::string said(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  const auto with_unit = [](double value, const std::string& unit) {
    return metric_text(value, false) + (unit == "1" ? "" : " " + unit);
  };
  std::string text = series.shown() + ": " + plot.x_label + " " + with_unit(point.x, plot.x_unit) + ", " +
                     plot.y_label + " " + with_unit(point.y, plot.y_unit);
  if (point.interval) text += " " + metric_text(point.interval);
  if (point.n > 0) text += ", n = " + std::to_string(point.n);
  return text +
         (series.provenance == Provenance::measured ? "" : std::string(" (") + display_name(series.provenance) + ")");
}

void draw_grid(const ReportPlot& plot, const Axes& axes, std::vector<Shape>& shapes) {
  const double foot = axes.top + plot_height;
  // Labels of close ticks on a logarithmic axis would overlap.
  double free_from = 0;
  for (std::size_t i = 0; i < axes.x.size(); ++i) {
    const double x = axes.x_of(axes.x[i]);
    const std::string text = tick_text(axes.x[i], axes.logarithmic ? axes.x[i] : axes.x[1] - axes.x[0]);
    shapes.push_back(chart_line(x, axes.top, x, foot));
    const double half = chart_letter * static_cast<double>(text.size()) / 2;
    if (x - half < free_from) continue;
    shapes.push_back(chart_text(x, foot + 18, text, Shape::Anchor::middle));
    free_from = x + half + 6;
  }
  double free_above = foot + legend_line;
  for (const double tick : axes.y) {
    const double y = axes.y_of(tick);
    shapes.push_back(chart_line(left, y, chart_width - right, y));
    if (y + 13 > free_above) continue;
    shapes.push_back(chart_text(left - 8, y + 4, tick_text(tick, axes.logarithmic ? tick : axes.y[1] - axes.y[0]),
                                Shape::Anchor::end));
    free_above = y;
  }
  shapes.push_back(chart_text((left + chart_width - right) / 2, foot + 42,
                              axis_text(plot.x_label, plot.x_unit) + (axes.logarithmic ? " (logarithmic)" : ""),
                              Shape::Anchor::middle));
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
  // One mark per point for few points, otherwise one every n points: the line carries the data then.
  constexpr std::size_t few = 12;
  const std::size_t apart =
      plot.kind == ReportPlot::Kind::points || series.points.size() <= few ? 1 : series.points.size() / 8;
  for (std::size_t i = apart / 2; i < series.points.size(); i += apart) {
    const PlotPoint& point = series.points[i];
    const double x = axes.x_of(point.x);
    if (point.interval)
      shapes.push_back(chart_line(x, axes.y_of(point.interval->low), x, axes.y_of(point.interval->high), color));
    shapes.push_back(chart_marker(x, axes.y_of(point.y), color, said(plot, series, point), mark_radius));
  }
}

}  // namespace

std::string axis_text(const std::string& label, const std::string& unit) {
  return unit == "1" ? label : label + ", " + unit;
}

Drawing plot_drawing(const ReportPlot& plot) {
  if (plot.series.empty()) return {};
  Drawing drawing{
      chart_width, 0, axis_text(plot.y_label, plot.y_unit) + " against " + axis_text(plot.x_label, plot.x_unit), {}};
  const std::vector<int> colors = colors_of(plot);
  Axes axes = axes_of(plot);
  axes.top = draw_legend(plot, colors, drawing.shapes);
  drawing.height = axes.top + plot_height + bottom;
  draw_grid(plot, axes, drawing.shapes);
  if (plot.diagonal) {
    drawing.shapes.push_back(chart_line(axes.x_of(axes.x.front()), axes.y_of(axes.y.front()), axes.x_of(axes.x.back()),
                                        axes.y_of(axes.y.back()), gray));
    drawing.shapes.back().thin = true;
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    draw_series(plot, plot.series[i], colors[i], axes, drawing.shapes);
  return drawing;
}

}  // namespace kvantage::inline report
