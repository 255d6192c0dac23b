// Point clouds and cumulative shares of a table's plot.
#pragma once

#include "core/report/figure_plot.h"

namespace kvantage::inline plots {

struct CloudPoint {
  double x = 0, y = 0;
  std::optional<Interval> x_interval, y_interval;
  std::string label;  // of the last column of `by`; may be empty
};
struct PlottedCloud {
  std::string name;                 // as in a legend
  std::size_t column = 0;           // of FigurePlot::y
  std::vector<std::string> values;  // of the columns that group points: all of `by` but the last, or the only one
  std::vector<CloudPoint> points;   // in row order
};
/// In column order, then row order; rows without a finite number in x or y are skipped. Empty without a scatter plot.
std::vector<PlottedCloud> plotted_clouds(const FigureTable& table);

/// Its intervals are a band: more than 8 points, or of a plot that names a band 2 or more, each with an interval.
/// Otherwise they are bars.
bool has_band(const FigurePlot& plot, const PlottedLine& line);

/// A curve for each value of `by`: the points (x, share of its numbers that are at most x), strictly ascending in x,
/// the last share 1. Rows without a finite number are skipped. Empty without a cdf plot.
std::vector<PlottedLine> plotted_curves(const FigureTable& table);

}  // namespace kvantage::inline plots
