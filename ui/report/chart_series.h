// How the series of a chart look, and its legend: they differ by shape and dashes, too, not by color alone.
#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "core/report/plot_axes.h"
#include "ui/report/page_content.h"

namespace kvantage::inline report_pages {

struct SeriesLook {
  enum class Shape { none, circle, square, diamond, triangle, bar };
  QColor color;
  Shape shape = Shape::none;  // of its marks; none: a line alone
  bool line = false, dashed = false;
};

/// One per series; those of boxes look alike.
std::vector<SeriesLook> looks_of(const ReportPlot& plot);

struct LegendEntry {
  SeriesLook look;
  QString text;
  bool swatch = true;  // false: the name of a letter on the axis
};
/// Of every series but those of boxes, then of bars and boxes with letters what each letter is.
std::vector<LegendEntry> legend_of(const PageChart& chart);

/// "mean TTFT (service), ms"; units of shares and qualities are left out. `scale`: says whether it is logarithmic.
QString axis_title(const std::string& label, const std::string& unit, const AxisScale& scale = {});

}  // namespace kvantage::inline report_pages
