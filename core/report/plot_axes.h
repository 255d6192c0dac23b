// The axes of a report's charts: ranges, round ticks, where they are logarithmic, titles, bins, and which series share
// a color and a mark.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// The largest power of ten that is at most `value`, which is positive.
double decade_below(double value);
/// The smallest of 1, 2, 5 and 10 times decade_below(raw) that is at least `slack` * raw, raw > 0. A slack below 1
/// keeps a step that is too small by rounding alone.
double round_step(double raw, double slack = 1);
/// Round axis positions that cover [low, high], about `wanted` of them, ascending.
std::vector<double> axis_ticks(double low, double high, int wanted);
std::vector<double> log_axis_ticks(double low, double high);
/// The fewest decimals, at most 6, that distinguish ticks of this step.
int tick_decimals(double step);
std::string tick_text(double value, double step);

/// The smallest range of the finite numbers that were added.
struct AxisRange {
  double low = INFINITY, high = -INFINITY;
  void add(double value);
  void add(const std::optional<Interval>& interval);
  bool is_empty() const { return low > high; }
  /// Positive, and more than `factor` between its ends.
  bool spans(double factor) const { return low > 0 && high > factor * low; }
  /// Ranges close to 0 are extended to 0.
  AxisRange from_zero() const { return low > 0 && low < 0.7 * high ? AxisRange{0, high} : *this; }
};

struct AxisScale {
  std::vector<double> ticks;  // at least 2, ascending, in the quantity; the first and last are the ends
  bool logarithmic = false;
  /// The coordinate: the quantity, or its log10 (of 1e-12 at least).
  double at(double value) const;
  /// Between ticks, of a linear axis.
  double step() const { return ticks.size() > 1 ? ticks[1] - ticks[0] : 1; }
  std::string label(std::size_t tick) const { return tick_text(ticks[tick], logarithmic ? ticks[tick] : step()); }
};
/// An empty range is 0 to 1.
AxisScale linear_scale(const AxisRange& range, int wanted);
/// Of a positive range.
AxisScale log_scale(const AxisRange& range);
/// Of stacked bars: from 0.
AxisScale bar_scale(const ReportPlot& plot);

struct PlotScales {
  AxisScale x, y;
};
/// Of every kind but bars. Of means, x is logarithmic where it spans more than a factor of 3. Curves, steps, points and
/// boxes begin at 0 where they are close to it; with a diagonal both axes are one, logarithmic where it spans more than
/// a factor of 10; counts of a histogram have whole ticks. x of boxes has its ends half a place outside, and boxes of
/// one value are drawn from 0.
PlotScales scales_of(const ReportPlot& plot);

/// Of a plot of bars: the sum of the positive parts of each place.
std::vector<double> place_sums(const ReportPlot& plot);

/// What a plot of boxes draws of one place.
struct PlotBox {
  double low = 0, lower = 0, median = 0, upper = 0, high = 0;  // whisker, box, line in it, box, whisker
  std::size_t n = 0;
};
/// One per place.
std::vector<PlotBox> boxes_of(const ReportPlot& plot);

/// Edges of a histogram of these numbers (at least one): bins of equal width after Freedman and Diaconis (1981),
/// 2 IQR / n^(1/3), at least 4 and at most 40; around equal numbers 4.
std::vector<double> bin_edges(const std::vector<double>& numbers);
/// The bin of a number within the edges: each holds its lower edge, the last both.
std::size_t bin_of(const std::vector<double>& edges, double value);

/// Of series_colors: for what is no series of its own.
inline constexpr int gray_series = 6;
/// The color and mark of the series at `index`: all are used in turn but gray.
int series_number(std::size_t index);
/// One per series of a plot. A thin series has that of the last one before it whose name its own starts with: a running
/// mean has the color of what it is the mean of. Others are gray.
std::vector<int> series_numbers(const ReportPlot& plot);
/// Places of the points that have a mark: all where there are at most 12 or no line joins them, otherwise about 8,
/// because the line carries the data.
std::vector<std::size_t> marked_points(std::size_t points, bool line);

/// "in use, MiB"; the label alone where the unit is 1.
std::string axis_text(const std::string& label, const std::string& unit);
/// " (logarithmic)", or nothing: behind the title of an axis.
std::string scale_text(const AxisScale& scale);

}  // namespace kvantage::inline report
