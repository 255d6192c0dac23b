#include "core/report/plot_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/units.h"
#include "core/report/series_colors.h"

namespace kvantage::inline report {

double decade_below(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

double round_step(double raw, double slack) {
  const double power = decade_below(raw);
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw / power * slack <= factor) return power * factor;
  return power * 10;
}

std::vector<double> axis_ticks(double low, double high, int wanted) {
  if (!(high > low)) high = low + (low == 0 ? 1 : std::fabs(low) * 0.1);
  const double step = round_step((high - low) / wanted, 0.999);
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  for (double i = first; ticks.size() < 50; ++i) {
    ticks.push_back(i * step);
    if (ticks.back() >= high - step * 1e-9) break;
  }
  return ticks;
}

std::vector<double> log_axis_ticks(double low, double high) {
  std::vector<double> ticks;
  for (double power = decade_below(low); ticks.size() < 60; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double next = factor == 5.0 ? power * 10 : power * (factor == 1.0 ? 2 : 5);
      if (next <= low * 1.000001) continue;
      ticks.push_back(power * factor);
      if (ticks.size() > 1 && ticks.back() >= high * 0.999999) return ticks;
    }
  return ticks;
}

int tick_decimals(double step) {
  return step >= 1 || step <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
}

std::string tick_text(double value, double step) { return format_fixed(value, tick_decimals(step)); }

void AxisRange::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void AxisRange::add(const std::optional<Interval>& interval) {
  if (!interval) return;
  add(interval->low);
  add(interval->high);
}

double AxisScale::at(double value) const { return logarithmic ? std::log10(std::max(value, 1e-12)) : value; }

AxisScale linear_scale(const AxisRange& range, int wanted) {
  return {range.is_empty() ? axis_ticks(0, 1, wanted) : axis_ticks(range.low, range.high, wanted)};
}
AxisScale log_scale(const AxisRange& range) { return {log_axis_ticks(range.low, range.high), true}; }
AxisScale bar_scale(const ReportPlot& plot) {
  const std::vector<double> sums = place_sums(plot);
  return {axis_ticks(0, sums.empty() ? 1 : std::ranges::max(sums), 6)};
}

namespace {

/// Whole ticks: fewer than 5 where counts are smaller.
AxisScale count_scale(double most) {
  constexpr double wanted = 5;
  return {axis_ticks(0, most, static_cast<int>(std::clamp(most, 1.0, wanted)))};
}

}  // namespace

PlotScales scales_of(const ReportPlot& plot) {
  AxisRange x, y;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      x.add(point.x);
      x.add(point.x_interval);
      y.add(point.y);
      y.add(point.interval);
    }
  if (plot.kind == ReportPlot::Kind::means) return {x.spans(3) ? log_scale(x) : linear_scale(x, 6), linear_scale(y, 5)};
  if (plot.kind == ReportPlot::Kind::histogram) return {linear_scale(x, 8), count_scale(y.high)};
  if (plot.kind == ReportPlot::Kind::boxes)
    return {{{-0.5, static_cast<double>(plot.places.size()) - 0.5}},
            linear_scale(y.low == y.high ? AxisRange{std::min(0.0, y.low), std::max(0.0, y.high)} : y.from_zero(), 5)};
  if (!plot.diagonal) return {linear_scale(x.from_zero(), 8), linear_scale(y.from_zero(), 5)};
  const AxisRange both{std::min(x.low, y.low), std::max(x.high, y.high)};
  const AxisScale scale = both.spans(10) ? log_scale(both) : linear_scale(both.from_zero(), 6);
  return {scale, scale};
}

std::vector<double> place_sums(const ReportPlot& plot) {
  std::vector<double> sums(plot.places.size());
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (const auto place = static_cast<std::size_t>(point.x); place < sums.size())
        sums[place] += std::max(0.0, point.y);
  return sums;
}

std::vector<PlotBox> boxes_of(const ReportPlot& plot) {
  constexpr std::array values{&PlotBox::low, &PlotBox::lower, &PlotBox::median, &PlotBox::upper, &PlotBox::high};
  std::vector<PlotBox> boxes(plot.places.size());
  for (std::size_t i = 0; i < std::min(values.size(), plot.series.size()); ++i)
    for (const PlotPoint& point : plot.series[i].points)
      if (const auto place = static_cast<std::size_t>(point.x); place < boxes.size()) {
        boxes[place].*values[i] = point.y;
        boxes[place].n = point.n;
      }
  return boxes;
}

std::vector<double> bin_edges(const std::vector<double>& numbers) {
  constexpr double min_bins = 4, max_bins = 40;
  const auto [least, most] = std::ranges::minmax(numbers);
  double low = least, high = most, bins = min_bins;
  if (high > low) {
    const double spread = percentile(numbers, 0.75) - percentile(numbers, 0.25);
    const double width = 2 * spread / std::cbrt(static_cast<double>(numbers.size()));
    bins = std::clamp(width > 0 ? std::ceil((high - low) / width) : 0, min_bins, max_bins);
  } else {  // all are equal
    const double half = low == 0 ? 0.5 : 0.1 * std::abs(low);
    low -= half;
    high += half;
  }
  std::vector<double> edges;
  for (double i = 0; i < bins; ++i) edges.push_back(low + (high - low) * i / bins);
  edges.push_back(high);
  return edges;
}

std::size_t bin_of(const std::vector<double>& edges, double value) {
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

int series_number(std::size_t index) {
  constexpr int others = static_cast<int>(series_colors.size()) - 1;
  const auto number = static_cast<int>(index);
  return number + (number + others - gray_series) / others;
}

std::vector<int> series_numbers(const ReportPlot& plot) {
  std::vector<int> numbers;
  numbers.reserve(plot.series.size());
  std::size_t own = 0;
  for (const PlotSeries& series : plot.series) {
    int number = gray_series;
    if (!series.aside)
      number = series_number(own++);
    else
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!plot.series[i].aside && series.name.starts_with(plot.series[i].name)) number = numbers[i];
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::size_t> marked_points(std::size_t points, bool line) {
  constexpr std::size_t few = 12, some = 8;
  const std::size_t apart = !line || points <= few ? 1 : points / some;
  std::vector<std::size_t> marked;
  for (std::size_t i = apart / 2; i < points; i += apart) marked.push_back(i);
  return marked;
}

std::string axis_text(const std::string& label, const std::string& unit) {
  return unit == "1" ? label : label + ", " + unit;
}

std::string scale_text(const AxisScale& scale) { return scale.logarithmic ? " (logarithmic)" : ""; }

}  // namespace kvantage::inline report
