#include "core/report/mark_texts.h"

#include "core/base/units.h"
#include "core/report/metric_list.h"
#include "core/report/plot_axes.h"
#include "core/report/table.h"

namespace kvantage::inline report {
namespace {

std::string with_unit(double value, const std::string& unit) {
  return metric_text(value, false) + (unit == "1" ? "" : " " + unit);
}

std::string provenance_note(const PlotSeries& series) {
  return series.provenance == Provenance::measured ? "" : std::string(" (") + display_name(series.provenance) + ")";
}

std::string mean_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  const Provenance x = series.x_provenance.value_or(series.provenance);
  return series.shown() + ": " + format_fixed(point.x, 1) + " " + plot.x_unit + " (" + display_name(x) + "), " +
         plot.y_label + " " + format_fixed(point.y, 3) + " (" + display_name(series.provenance) +
         "), n = " + std::to_string(point.n);
}

}  // namespace

std::string point_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  if (plot.kind == ReportPlot::Kind::means) return mean_text(plot, series, point);
  std::string text = series.shown() + ": " + plot.x_label + " " + with_unit(point.x, plot.x_unit) + ", " +
                     plot.y_label + " " + with_unit(point.y, plot.y_unit);
  if (point.interval) text += " " + metric_text(point.interval);
  if (point.n > 0) text += ", n = " + std::to_string(point.n);
  return text + provenance_note(series);
}

std::string part_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point) {
  return plot.places.at(static_cast<std::size_t>(point.x)).name + ", " + series.shown() + ": " +
         format_fixed(point.y, 2) + " " + plot.y_unit;
}

std::string box_text(const ReportPlot& plot, std::size_t place) {
  const PlotBox box = boxes_of(plot).at(place);
  const std::string unit = plot.y_unit == "1" ? "" : " " + plot.y_unit;
  const auto range = [&](double from, double to) {
    return metric_text(from, false) + " to " + metric_text(to, false) + unit;
  };
  return plot.places.at(place).name + ": " + plot.y_label + " median " + metric_text(box.median, false) + unit +
         ", box " + range(box.lower, box.upper) + ", whiskers " + range(box.low, box.high) +
         ", n = " + std::to_string(box.n) + provenance_note(plot.series.front());
}

std::string bin_text(const ReportPlot& plot, const PlotSeries& series, std::size_t bin) {
  return series.shown() + ": " + plot.x_label + " " + metric_text(series.points.at(bin).x, false) + " to " +
         with_unit(series.points.at(bin + 1).x, plot.x_unit) + ", " + plot.y_label + " " +
         metric_text(series.points[bin].y, true) + provenance_note(series);
}

}  // namespace kvantage::inline report
