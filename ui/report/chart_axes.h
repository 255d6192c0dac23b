// Axes of a report's chart with round ticks.
#pragma once

#include <QAbstractAxis>
#include <string>
#include <vector>

#include "core/report/report_sections.h"

namespace kvantage::inline report_pages {

struct AxisScale {
  std::vector<double> ticks;  // ascending, in the quantity; the first and last are the ends
  bool logarithmic = false;   // coordinates of the chart are then log10 of the quantity
  double at(double value) const;
};

struct ChartScales {
  AxisScale x, y;
};
/// Of plots of points and lines; ranges that are close to 0 begin there. `plot` must have a point.
ChartScales scales_of(const ReportPlot& plot);
/// Of stacked bars, from 0.
AxisScale bar_scale(const ReportPlot& plot);

/// Has labels at most each so many points of `length`; `title` says whether it is logarithmic.
QAbstractAxis* make_axis(const AxisScale& scale, const QString& title, double length, double apart);

}  // namespace kvantage::inline report_pages
