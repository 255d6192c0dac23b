// What the drawings of a figure's kinds have in common. Private to core/report/plots.
#pragma once

#include <functional>

#include "core/base/statistics.h"
#include "core/report/plots/figure_frame.h"
#include "core/report/plots/plotted_marks.h"

namespace kvantage::inline plots {

inline constexpr double mark_radius = 4, cap_radius = 3;

/// As in a table.
std::string number_text(double value);
/// Of a mark: "lru: rate 1/s 4, TTFT s 0.25 [0.2, 0.3]".
std::string said(const std::string& name, const std::string& x, const std::string& at, const std::string& y,
                 double value, const std::optional<Interval>& interval);

template <class Group>
std::vector<std::string> names_of(const std::vector<Group>& groups) {
  std::vector<std::string> names;
  names.reserve(groups.size());
  for (const Group& group : groups) names.push_back(group.name);
  return names;
}

/// The groups, then a row for each label of the paper.
std::vector<LegendEntry> legend_of(const std::vector<std::string>& groups, LegendEntry::Sign sign,
                                   const std::vector<PlottedMark>& marks);

/// A value with its interval; what the paper reports.
void add_to(FrameRange& range, double value, const std::optional<Interval>& interval);
void add_to(FrameRange& x, FrameRange& y, const std::vector<PlottedMark>& marks);

Shape box_shape(double x1, double y1, double x2, double y2, int series, std::string text);
/// An interval in y with its caps.
void add_vertical(FigureFrame& frame, double x, const Interval& interval, int series);
/// `x_of` is where a mark is drawn.
void add_marks(FigureFrame& frame, const std::vector<PlottedMark>& marks,
               const std::function<double(const PlottedMark&)>& x_of);
void add_marks_at_numbers(FigureFrame& frame, const std::vector<PlottedMark>& marks);

}  // namespace kvantage::inline plots
