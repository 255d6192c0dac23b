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

namespace {

/// Of ticks that are `step` apart, for QValueAxis: few letters also where numbers are large or small.
QString label_format(double low, double high, double step) {
  constexpr double plain_below = 1e6, plain_step = 1e-4, most_digits = 5;
  const double most = std::max(std::abs(low), std::abs(high)), digits = std::ceil(std::log10(most / step)) + 1;
  if ((most < plain_below && step >= plain_step) || digits > most_digits)
    return QStringLiteral("%.%1f").arg(tick_decimals(step));
  return QStringLiteral("%.%1g").arg(static_cast<int>(digits));
}

qsizetype longest_label(const std::vector<double>& ticks, const QString& format) {
  qsizetype longest = 0;
  for (const double tick : ticks)
    longest = std::max(longest, QString::asprintf(format.toLatin1().constData(), tick).size());
  return longest;
}

double step_of(const std::vector<double>& ticks, double low, double high) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : high - low;
}

}  // namespace

void set_round_ticks(QValueAxis& axis, double low, double high, int max_ticks, const QString& unit) {
  // Qt takes ends that are closer than 1e-12 for equal and sets a range of its own: an interval of a smaller range has
  // ticks without end there.
  constexpr double least_range = 1e-10;
  high = std::max(high, low + least_range);
  std::vector<double> ticks = linear_ticks(low, high, max_ticks);
  constexpr qsizetype long_label = 6, letters_in_all = 24;
  if (const qsizetype longest = longest_label(ticks, label_format(low, high, step_of(ticks, low, high)));
      longest > long_label)
    ticks = linear_ticks(low, high, std::max(2, std::min(max_ticks, static_cast<int>(letters_in_all / longest))));
  const double step = step_of(ticks, low, high);
  set_ticks(axis, low, high, step);
  axis.setLabelFormat(label_format(low, high, step) + unit);
}

void set_log_axis(QCategoryAxis& axis, double low, double high, const std::function<QString(double)>& label,
                  int max_ticks) {
  const auto old_labels = axis.categoriesLabels();
  for (const QString& old : old_labels) axis.remove(old);
  axis.setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis.setRange(std::log10(low), std::log10(high));
  axis.setStartValue(std::log10(low));
  std::vector<double> ticks = log_ticks(low, high, max_ticks);
  if (ticks.size() < 2) ticks = linear_ticks(low, high, max_ticks);  // zoomed in between two of them
  for (const double tick : ticks) axis.append(label(tick), std::log10(tick));
}

}  // namespace kvantage
