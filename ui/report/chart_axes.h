// Axes of a report's chart with round ticks, of Qt Charts.
#pragma once

#include <QAbstractAxis>

#include "core/report/plot_axes.h"

namespace kvantage::inline report_pages {

/// Has labels at most each so many points of `length`.
QAbstractAxis* make_axis(const AxisScale& scale, const QString& title, double length, double apart);

/// Below the bars of a histogram, whose coordinates are places of bins: the ends of the bin at 0 are -0.5 and 0.5.
/// Labels are of the quantity, as above. `edges`: of its bins, of equal width.
QAbstractAxis* make_bin_axis(const AxisScale& scale, const std::vector<double>& edges, const QString& title,
                             double length, double apart);

}  // namespace kvantage::inline report_pages
