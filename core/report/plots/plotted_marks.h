// What a paper reports, placed on the axes of a table's plot.
#pragma once

#include "core/report/figure.h"

namespace kvantage::inline plots {

struct PlottedMark {
  std::string label;
  std::optional<double> at;          // in x, for categories their index; nothing: along the whole axis
  double low = 0, high = 0;          // in y
  std::optional<std::size_t> group;  // of `groups`: the one whose name the label holds, of several the longest

  /// Drawn as a hollow diamond; otherwise a dashed bar at `at`, or a shaded span along the axis.
  bool is_point() const { return at && low == high; }
  bool is_span() const { return !at; }
};
/// Those of bars are at their category, others at their number; marks that have no place on the axis are left out, and
/// so are all of heat maps and of spans. `groups`: names as in the legend.
std::vector<PlottedMark> plotted_marks(const FigureTable& table, const std::vector<std::string>& groups,
                                       const std::vector<std::string>& categories = {});

/// The title of the vertical axis: y_title, or the name of the only y; of a cdf and a histogram what is counted.
std::string plotted_y_title(const FigurePlot& plot);

}  // namespace kvantage::inline plots
