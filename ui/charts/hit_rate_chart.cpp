#include "ui/charts/hit_rate_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/ticks.h"
#include "ui/models/words.h"

namespace kvantage {

HitRateChart::HitRateChart(HitRateModel& model, QWidget* parent)
    : ChartPanel(QStringLiteral("Hit rates"), parent, history_interval_ms),
      model_(model),
      request_axis_(new QValueAxis),
      rate_axis_(new QValueAxis) {
  request_axis_->setTitleText(QStringLiteral("Requests served"));
  request_axis_->setLabelFormat("%.0f");
  request_axis_->setTickType(QValueAxis::TicksDynamic);
  rate_axis_->setRange(0, 100);
  rate_axis_->setTickCount(5);
  rate_axis_->setLabelFormat("%.0f %%");
  chart().addAxis(request_axis_, Qt::AlignBottom);
  chart().addAxis(rate_axis_, Qt::AlignLeft);
  connect(&model_, &HitRateModel::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

void HitRateChart::set_measure(HitRateModel::Measure measure) {
  measure_ = measure;
  invalidate();
}

void HitRateChart::set_window(int requests) {
  window_ = requests;
  invalidate();
}

QLineSeries* HitRateChart::series_of(std::map<QString, QLineSeries*>& all, const QString& name) {
  QLineSeries*& series = all[name];
  if (!series) {
    series = new QLineSeries;
    series->setName(name);
    chart().addSeries(series);
    series->attachAxis(request_axis_);
    series->attachAxis(rate_axis_);
  }
  return series;
}

void HitRateChart::refresh() {
  std::vector<LegendItem> items;
  const auto scaled = [](const std::vector<QPointF>& points) {
    QList<QPointF> percent;
    percent.reserve(static_cast<qsizetype>(points.size()));
    for (const QPointF& point : points) percent.append({point.x(), point.y() * 100});
    return percent;
  };
  // More points than every third column of pixels cannot be told apart, and the strokes between them are what painting costs.
  const int limit = std::clamp(static_cast<int>(chart().plotArea().width() / 3), 60, HitRateModel::point_limit);
  for (std::size_t i = 0; i < model_.sources().size(); ++i) {
    const QString& name = model_.sources()[i];
    const QColor colour = theme().tier(name);
    QColor soft = colour;
    soft.setAlphaF(0.55f);
    QLineSeries* cumulative = series_of(cumulative_, name);
    cumulative->replace(scaled(model_.series(i, measure_, 0, limit)));
    cumulative->setPen(curve_pen(soft, 1.1));
    QLineSeries* windowed = series_of(windowed_, name);
    windowed->replace(scaled(model_.series(i, measure_, window_, limit)));
    windowed->setPen(curve_pen(colour, 2.2));
    const double latest = model_.latest(i, measure_, window_), total = model_.latest(i, measure_, 0);
    items.push_back({"",
                     latest < 0 ? name : QStringLiteral("%1 %2").arg(name, percent_text(latest)),
                     latest < 0 ? name
                                : QStringLiteral("%1: %2 over the last %3 requests, %4 since the start (measured)")
                                      .arg(name, percent_text(latest))
                                      .arg(window_)
                                      .arg(percent_text(total)),
                     LegendItem::Sign::line,
                     colour,
                     {},
                     false});
  }
  items.push_back({"",
                   QStringLiteral("last %1").arg(window_),
                   QStringLiteral("Thick: over the last %1 requests").arg(window_),
                   LegendItem::Sign::line,
                   theme().muted,
                   {},
                   false});
  items.push_back({"",
                   "since start",
                   QStringLiteral("Thin: since the start of the run"),
                   LegendItem::Sign::thin_line,
                   theme().muted,
                   {},
                   false});
  legend().set_items(std::move(items));
  // An axis that moves with every request is laid out anew with each: it moves when it is full, or a fifth of it would be empty.
  const double served = static_cast<double>(model_.requests());
  if (served > request_axis_->max() || served < 0.8 * request_axis_->max() || request_axis_->max() < 10) {
    const double room = std::max(10.0, served * 1.08), digits = std::pow(10, std::floor(std::log10(room)) - 1);
    const double end = std::ceil(room / digits) * digits;
    const auto ticks = linear_ticks(0, end, 6);
    set_ticks(*request_axis_, 0, end, ticks.size() > 1 ? std::max(1.0, ticks[1]) : end);
  }
  rate_axis_->setTickCount(compact() ? 3 : 5);
}

QString HitRateChart::empty_text() const {
  return model_.requests() == 0 ? QStringLiteral("No request has been served yet. Press Start.") : QString();
}

ChartTable HitRateChart::table() const {
  ChartTable table{{"source", "requests_served", "rate_window", "rate_since_start"}, {}};
  for (std::size_t i = 0; i < model_.sources().size(); ++i) {
    const auto windowed = model_.series(i, measure_, window_), total = model_.series(i, measure_, 0);
    for (std::size_t k = 0; k < windowed.size() && k < total.size(); ++k)
      table.rows.append({model_.sources()[i], QString::number(windowed[k].x(), 'f', 0),
                         QString::number(windowed[k].y(), 'g', 6), QString::number(total[k].y(), 'g', 6)});
  }
  return table;
}

}  // namespace kvantage
