// A plot of a report with given series, for tests of what draws it.
#pragma once

#include <utility>
#include <vector>

#include "core/report/report_sections.h"

namespace kvantage::test {

inline ReportPlot sample_plot(ReportPlot::Kind kind, std::vector<PlotSeries> series) {
  ReportPlot plot;
  plot.name = "sample";
  plot.title = "Sample";
  plot.x_label = "time";
  plot.x_unit = "s";
  plot.y_label = "in use";
  plot.y_unit = "MiB";
  plot.kind = kind;
  plot.series = std::move(series);
  return plot;
}

}  // namespace kvantage::test
