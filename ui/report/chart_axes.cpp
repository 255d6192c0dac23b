#include "ui/report/chart_axes.h"

#include <QCategoryAxis>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/report/chart.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

struct Extent {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::optional<Interval>& interval) {
    if (!interval) return;
    add(interval->low);
    add(interval->high);
  }
  void join(const Extent& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  bool is_log() const { return low > 0 && high > 3 * low; }
  /// Ranges close to 0 are extended to 0.
  Extent from_zero() const { return low > 0 && low < 0.7 * high ? Extent{0, high} : *this; }
};

AxisScale linear_scale(const Extent& extent, int wanted) {
  return {axis_ticks(extent.low, extent.high, wanted), false};
}
AxisScale log_scale(const Extent& extent) { return {log_axis_ticks(extent.low, extent.high), true}; }

/// The fewest that tell ticks of this step apart.
int decimals_of(double step) {
  return step >= 1 || step <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
}

}  // namespace

double AxisScale::at(double value) const { return logarithmic ? std::log10(std::max(value, 1e-12)) : value; }

ChartScales scales_of(const ReportPlot& plot) {
  Extent x, y;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      x.add(point.x);
      x.add(point.x_interval);
      y.add(point.y);
      y.add(point.interval);
    }
  if (x.low > x.high) x = {0, 1};
  if (y.low > y.high) y = {0, 1};
  if (plot.kind == ReportPlot::Kind::means) return {x.is_log() ? log_scale(x) : linear_scale(x, 6), linear_scale(y, 5)};
  if (!plot.diagonal) return {linear_scale(x.from_zero(), 8), linear_scale(y.from_zero(), 5)};
  x.join(y);
  if (x.low > 0 && x.high > 10 * x.low) return {log_scale(x), log_scale(x)};
  return {linear_scale(x.from_zero(), 6), linear_scale(x.from_zero(), 6)};
}

AxisScale bar_scale(const ReportPlot& plot) {
  std::vector<double> sums(plot.places.size());
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points)
      if (const auto place = static_cast<std::size_t>(point.x); place < sums.size())
        sums[place] += std::max(0.0, point.y);
  return {axis_ticks(0, sums.empty() ? 1 : std::ranges::max(sums), 6), false};
}

QAbstractAxis* make_axis(const AxisScale& scale, const QString& title, double length, double apart) {
  const std::vector<double>& ticks = scale.ticks;
  const QString escaped = (title + (scale.logarithmic ? QStringLiteral(" (logarithmic)") : QString())).toHtmlEscaped();
  if (!scale.logarithmic) {
    auto* axis = new QValueAxis;
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
    axis->setRange(ticks.front(), ticks.back());
    axis->setTickCount(static_cast<int>(ticks.size()));
    axis->setLabelFormat(QStringLiteral("%.%1f").arg(decimals_of(step)));
    axis->setTitleText(escaped);
    return axis;
  }
  auto* axis = new QCategoryAxis;
  const double low = scale.at(ticks.front()), high = scale.at(ticks.back());
  axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis->setRange(low, high);
  axis->setStartValue(low);
  double free_from = -1;  // labels of close ticks would overlap
  for (const double tick : ticks) {
    const double place = (scale.at(tick) - low) / (high - low) * length;
    if (place < free_from) continue;
    axis->append(page_line(format_fixed(tick, decimals_of(tick))), scale.at(tick));
    free_from = place + apart;
  }
  axis->setTitleText(escaped);
  return axis;
}

}  // namespace kvantage::inline report_pages
