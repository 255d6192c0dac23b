#include "ui/report/chart_axes.h"

#include <QCategoryAxis>
#include <QValueAxis>
#include <functional>

#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

/// `at`: the coordinate of a quantity.
QAbstractAxis* make_labeled_axis(const AxisScale& scale, const std::function<double(double)>& at, const QString& title,
                                 double length, double apart) {
  auto* axis = new QCategoryAxis;
  const double low = at(scale.ticks.front()), high = at(scale.ticks.back());
  axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis->setRange(low, high);
  axis->setStartValue(low);
  double free_from = -1;  // labels of close ticks would overlap
  for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
    const double coordinate = at(scale.ticks[i]), place = (coordinate - low) / (high - low) * length;
    if (place < free_from) continue;
    axis->append(page_line(scale.label(i)), coordinate);
    free_from = place + apart;
  }
  axis->setTitleText(title.toHtmlEscaped());
  return axis;
}

}  // namespace

QAbstractAxis* make_axis(const AxisScale& scale, const QString& title, double length, double apart) {
  if (scale.logarithmic)
    return make_labeled_axis(
        scale, [&](double value) { return scale.at(value); }, title, length, apart);
  auto* axis = new QValueAxis;
  axis->setRange(scale.ticks.front(), scale.ticks.back());
  axis->setTickCount(static_cast<int>(scale.ticks.size()));
  axis->setLabelFormat(QStringLiteral("%.%1f").arg(tick_decimals(scale.step())));
  axis->setTitleText(title.toHtmlEscaped());
  return axis;
}

QAbstractAxis* make_bin_axis(const AxisScale& scale, const std::vector<double>& edges, const QString& title,
                             double length, double apart) {
  const double width = (edges.back() - edges.front()) / static_cast<double>(edges.size() - 1);
  return make_labeled_axis(
      scale, [&](double value) { return (value - edges.front()) / width - 0.5; }, title, length, apart);
}

}  // namespace kvantage::inline report_pages
