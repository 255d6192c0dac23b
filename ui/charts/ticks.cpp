#include "ui/charts/ticks.h"

#include <algorithm>
#include <cmath>

#include "core/report/plot_axes.h"

namespace kvantage {

std::vector<double> log_ticks(double low, double high, int max_ticks) {
  for (const std::vector<double>& mantissas :
       {std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}}) {
    std::vector<double> ticks;
    for (double power = decade_below(low); power <= high * 1.0001; power *= 10)
      for (const double mantissa : mantissas)
        if (const double value = power * mantissa; value >= low * 0.9999 && value <= high * 1.0001)
          ticks.push_back(value);
    if (static_cast<int>(ticks.size()) <= max_ticks) return ticks;
  }
  std::vector<double> ticks;
  const int stride = static_cast<int>(std::ceil((std::log10(high) - std::log10(low)) / max_ticks));
  for (double power = std::pow(10.0, std::ceil(std::log10(low) - 1e-9)); power <= high * 1.0001;
       power *= std::pow(10.0, stride))
    ticks.push_back(power);
  return ticks;
}

std::vector<double> linear_ticks(double low, double high, int max_ticks) {
  const double span = high - low;
  if (!(span > 0)) return {low};
  const double step = round_step(span / std::max(1, max_ticks - 1));
  std::vector<double> ticks;
  for (double value = std::ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step)
    ticks.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  return ticks;
}

void set_ticks(QValueAxis& axis, double low, double high, double interval) {
  if (interval > axis.tickInterval()) {
    axis.setTickInterval(interval);
    axis.setRange(low, high);
  } else {
    axis.setRange(low, high);
    axis.setTickInterval(interval);
  }
}

void set_round_ticks(QValueAxis& axis, double low, double high, int max_ticks, const QString& unit) {
  const std::vector<double> ticks = linear_ticks(low, high, max_ticks);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : high - low;
  set_ticks(axis, low, high, step);
  axis.setLabelFormat(QStringLiteral("%.%1f%2").arg(tick_decimals(step)).arg(unit));
}

void set_log_axis(QCategoryAxis& axis, double low, double high, const std::function<QString(double)>& label,
                  int max_ticks) {
  const auto old_labels = axis.categoriesLabels();
  for (const QString& old : old_labels) axis.remove(old);
  axis.setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis.setRange(std::log10(low), std::log10(high));
  axis.setStartValue(std::log10(low));
  for (const double tick : log_ticks(low, high, max_ticks)) axis.append(label(tick), std::log10(tick));
}

}  // namespace kvantage
