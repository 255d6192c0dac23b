#include "core/report/report_charts.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/report/box_drawing.h"
#include "core/report/chart.h"
#include "core/report/plot_axes.h"
#include "core/report/plot_drawing.h"
#include "core/report/report_content.h"
#include "core/report/table.h"

namespace kvantage::inline report {
namespace {

std::string chart_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  const Provenance x = series.x_provenance.value_or(series.provenance);
  return series.shown() + ": " + format_fixed(point.x, 1) + " " + plot.x_unit + " (" + display_name(x) + "), " +
         plot.y_label + " " + format_fixed(point.y, 3) + " (" + display_name(series.provenance) +
         "), n = " + std::to_string(point.n);
}

Drawing means_drawing(const ReportPlot& plot) {
  std::vector<ScatterPoint> points;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const Interval x = point.x_interval.value_or(Interval{point.x, point.x}),
                     y = point.interval.value_or(Interval{point.y, point.y});
      const char* mark = mark_of(
          std::max(series.provenance, series.x_provenance.value_or(series.provenance)));  // shapes distinguish series
      points.push_back(
          {series.shown() + mark, point.x, point.y, x.low, x.high, y.low, y.high, chart_text(plot, series, point)});
    }
  return scatter_drawing(axis_text(plot.x_label, plot.x_unit), axis_text(plot.y_label, plot.y_unit), points);
}

Drawing bars_drawing(const ReportPlot& plot) {
  std::vector<std::string> names;
  std::vector<StackedBar> bars;
  for (const PlotPlace& place : plot.places) bars.push_back({place.name, {}, place.total});
  for (const PlotSeries& series : plot.series) {
    names.push_back(series.shown());
    for (StackedBar& bar : bars) bar.parts.push_back(0);
    for (const PlotPoint& point : series.points) bars.at(static_cast<std::size_t>(point.x)).parts.back() = point.y;
  }
  return stacked_bars_drawing(names, bars, plot.y_label, plot.y_unit);
}

Drawing drawing_of(const ReportPlot& plot) {
  switch (plot.kind) {
    case ReportPlot::Kind::means:
      return means_drawing(plot);
    case ReportPlot::Kind::bars:
      return bars_drawing(plot);
    case ReportPlot::Kind::boxes:
      return box_drawing(plot);
    default:
      return plot_drawing(plot);
  }
}

}  // namespace

std::vector<ReportChart> charts_of(const std::vector<ReportPlot>& plots) {
  std::vector<ReportChart> charts;
  for (const ReportPlot& plot : plots) charts.push_back({plot.title, plot.note, drawing_of(plot)});
  return charts;
}

std::vector<ReportChart> charts_of(const RunReport& report) { return charts_of(content_of(report).charts); }

}  // namespace kvantage::inline report
