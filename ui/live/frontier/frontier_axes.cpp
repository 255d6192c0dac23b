#include "ui/live/frontier/frontier_axes.h"

#include <QAbstractSeries>
#include <QFontMetrics>
#include <algorithm>
#include <cmath>

#include "core/report/answer_basis.h"
#include "ui/charts/ticks.h"
#include "ui/live/frontier/frontier_chart.h"

namespace kvantage {
namespace {

QString time_tick_label(double seconds) {
  if (seconds >= 0.9999) return QString::number(seconds, 'g', 3) + " s";
  if (seconds >= 0.9999e-3) return QString::number(seconds * 1e3, 'g', 3) + " ms";
  return QString::number(seconds * 1e6, 'g', 3) + " µs";
}

}  // namespace

FrontierAxes::FrontierAxes(QChart& chart, const QWidget& panel)
    : chart_(chart), panel_(panel), times_(new QCategoryAxis), qualities_(new QValueAxis) {
  qualities_->setTickType(QValueAxis::TicksDynamic);
  chart_.addAxis(times_, Qt::AlignBottom);
  chart_.addAxis(qualities_, Qt::AlignLeft);
}

void FrontierAxes::attach(QAbstractSeries& series) const {
  series.attachAxis(times_);
  series.attachAxis(qualities_);
}

void FrontierAxes::set_metric(const QString& metric) {
  metric_ = metric;
  show_titles();
}

void FrontierAxes::show_titles() {
  const QFontMetrics letters(times_->titleFont());
  const auto first_that_fits = [&](int room, const QStringList& titles) {
    const auto found =
        std::ranges::find_if(titles, [&](const QString& title) { return letters.horizontalAdvance(title) <= room; });
    return found != titles.end() ? *found : titles.back();
  };
  const QString whole =
      metric_.isEmpty() ? FrontierChart::tr("Mean quality") : FrontierChart::tr("Mean quality (%1)").arg(metric_);
  QStringList names{whole, FrontierChart::tr("Mean quality"), FrontierChart::tr("Quality")};
  if (agreement_ && !compares_with_uncompressed(metric_.toStdString()))
    names = {FrontierChart::tr("Mean agreement with uncompressed (%1)").arg(metric_),
             FrontierChart::tr("Agreement with uncompressed"), FrontierChart::tr("Agreement")};
  qualities_->setTitleText(first_that_fits(static_cast<int>(chart_.plotArea().height()), names).toHtmlEscaped());
  times_->setTitleText(
      first_that_fits(static_cast<int>(chart_.plotArea().width()),
                      {FrontierChart::tr("Mean TTFT without queueing (log scale)"),
                       FrontierChart::tr("Mean TTFT (log scale)"), FrontierChart::tr("TTFT (log scale)")}));
}

void FrontierAxes::fit(const QRectF& extent) {
  const double width = std::max(extent.width(), 0.25), height = std::max(extent.height(), 0.06);
  QRectF wanted(extent.center().x() - width / 2, extent.center().y() - height / 2, width, height);
  wanted.adjust(-0.09 * width, -0.12 * height, 0.12 * width, 0.12 * height);
  // No answer is better than 1 or worse than 0.
  wanted.setTop(std::max(wanted.top(), 0.0));
  wanted.setBottom(std::min(wanted.bottom(), 1.0));
  if (1 - wanted.bottom() < 0.05 * wanted.height()) wanted.setBottom(1.0);  // and the end of the scale is named
  // Axes that move with every request cannot be read: keep them while the data fits and fills them well enough.
  constexpr double rounding = 1e-6;
  if (!range_.isNull() && range_.adjusted(-rounding, -rounding, rounding, rounding).contains(extent) &&
      extent.width() > 0.55 * range_.width() && extent.height() > 0.5 * range_.height()) {
    if (max_ticks_ != width_hint_ticks()) show_times();  // another width, or text of another size
    return;
  }
  range_ = wanted;
  show_times();
  // Qt counts whole intervals from the first tick to the end, and (1.0 - 0.4) / 0.2 is a bit less than 3.
  const double end = std::abs(1 - wanted.bottom()) < 1e-9 ? 1 + 1e-9 : wanted.bottom();
  const std::vector<double> ticks = linear_ticks(wanted.top(), end);
  if (ticks.size() >= 2) {
    const double step = ticks[1] - ticks[0];
    set_ticks(*qualities_, wanted.top(), end, step);
    qualities_->setLabelFormat(step < 0.0095 ? "%.3f" : step < 0.095 ? "%.2f" : "%.1f");
  } else {
    qualities_->setRange(wanted.top(), end);
  }
}

void FrontierAxes::show_times() {
  max_ticks_ = width_hint_ticks();
  show_times(std::pow(10, range_.left()), std::pow(10, range_.right()));
}

void FrontierAxes::show_times(double low, double high) {
  // The axis cuts a label that is wider than the way to the next tick.
  const double label =
      1.5 * panel_.fontMetrics().horizontalAdvance(QStringLiteral("500 ms")) / std::max(1, panel_.width());
  const auto too_close = [&](const std::vector<double>& ticks) {
    for (std::size_t i = 1; i < ticks.size(); ++i)
      if (std::log10(ticks[i] / ticks[i - 1]) / std::log10(high / low) < label) return true;
    return false;
  };
  int ticks = width_hint_ticks();
  while (ticks > 3 && too_close(log_ticks(low, high, ticks))) --ticks;
  set_log_axis(*times_, low, high, time_tick_label, ticks);
}

int FrontierAxes::width_hint_ticks() const {
  return std::clamp(panel_.width() / (2 * panel_.fontMetrics().horizontalAdvance(QStringLiteral("500 ms"))), 3, 14);
}

}  // namespace kvantage
