#include "ui/live/controls/formula_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/plan_text.h"
#include "ui/charts/ticks.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString formula_number(double value) { return to_q(short_number(value)); }

/// From the lowest to the highest with some room; never empty.
std::pair<double, double> formula_range(const QList<QPointF>& points, qreal (QPointF::*of)() const) {
  double low = 0, high = 0;
  for (const QPointF& point : points) {
    low = std::min(low, (point.*of)());
    high = std::max(high, (point.*of)());
  }
  if (low == high) high = 1;
  const double room = 0.05 * (high - low);
  return {low < 0 ? low - room : 0, high > 0 ? high + room : 0};
}

}  // namespace

FormulaChart::FormulaChart(QWidget* parent)
    : ChartPanel(tr("Formula by context"), parent),
      evicpress_axis_(new QValueAxis),
      formula_axis_(new QValueAxis),
      series_(new QScatterSeries) {
  for (QValueAxis* axis : {evicpress_axis_, formula_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  evicpress_axis_->setTitleText(tr("EvicPress's utility (s)"));
  chart().addAxis(evicpress_axis_, Qt::AlignBottom);
  chart().addAxis(formula_axis_, Qt::AlignLeft);
  chart().addSeries(series_);
  series_->attachAxis(evicpress_axis_);
  series_->attachAxis(formula_axis_);
  series_->setMarkerSize(7);
  keys().set_description(
      tr("Value of the formula against EvicPress's utility, a point for each context; arrow keys move between points"));
  allow_low(120);
  set_theme(theme());
}

void FormulaChart::set_points(FormulaPoints points, const QString& formula) {
  if (points == points_ && formula == formula_) return;
  points_ = std::move(points);
  formula_ = formula;
  invalidate();
}

QPointF FormulaChart::shown(const FormulaPoint& point) const { return {point.evicpress_seconds, point.value / unit_}; }

void FormulaChart::refresh() {
  double largest = 0;
  for (const FormulaPoint& point : points_.points) largest = std::max(largest, std::fabs(point.value));
  const double exponent = largest > 0 ? std::floor(std::log10(largest)) : 0;
  const bool plain = exponent >= -3 && exponent < 5;
  unit_ = plain ? 1 : std::pow(10.0, exponent);
  formula_axis_->setTitleText(plain ? tr("Formula")
                                    : tr("Formula (10^%1)").arg(QString::number(static_cast<int>(exponent))));
  QList<QPointF> points;
  points.reserve(static_cast<qsizetype>(points_.points.size()));
  for (const FormulaPoint& point : points_.points) points.push_back(shown(point));
  series_->setColor(theme().accent);
  series_->setBorderColor(theme().base);
  series_->replace(points);
  const auto [left, right] = formula_range(points, &QPointF::x);
  const auto [bottom, top] = formula_range(points, &QPointF::y);
  set_round_ticks(*evicpress_axis_, left, right, 4);
  set_round_ticks(*formula_axis_, bottom, top, 4);
  std::vector<LegendItem> items;
  if (!points_.points.empty())
    items.push_back({"", tr("contexts as placed now"),
                     tr("Predicted. Where points rise to the right, the formula ranks contexts as EvicPress does."),
                     LegendItem::Sign::swatch, theme().accent});
  if (points_.undefined > 0)
    items.push_back({"", tr("%n without a value", nullptr, static_cast<int>(points_.undefined)),
                     tr("The value of these contexts is infinite or not a number. Such a form is chosen last."),
                     LegendItem::Sign::in_text, theme().muted});
  legend().set_items(std::move(items));
}

QString FormulaChart::empty_text() const {
  if (!points_.points.empty()) return {};
  if (formula_.isEmpty()) return tr("No formula to show.");
  return points_.undefined > 0 ? tr("The formula has no finite value for any context.")
                               : tr("No context is known yet.");
}

PointKeys::Rows FormulaChart::key_rows() const {
  std::vector<PointStop> stops;
  stops.reserve(points_.points.size());
  for (const FormulaPoint& point : points_.points)
    stops.push_back({tr("contexts"), point.context, point.evicpress_seconds,
                     mark_around(chart().mapToPosition(shown(point), series_)),
                     tr("%1: %2\nformula: %3\nEvicPress's utility: %4 s (predicted)")
                         .arg(point.context, point.configuration, formula_number(point.value),
                              formula_number(point.evicpress_seconds))});
  std::ranges::stable_sort(stops, {}, &PointStop::along);
  PointKeys::Rows rows;
  if (!stops.empty()) rows.push_back(std::move(stops));
  return rows;
}

ChartTable FormulaChart::table() const {
  ChartTable table{{"context", "configuration", "evicpress_utility_seconds", "formula_value"}, {}};
  table.plot = {"evicpress_utility_seconds", {"formula_value"}, true};
  const auto text = [](double value) { return QString::number(value, 'g', 9); };
  for (const FormulaPoint& point : points_.points)
    table.rows.append({point.context, point.configuration, text(point.evicpress_seconds), text(point.value)});
  return table;
}

}  // namespace kvantage
