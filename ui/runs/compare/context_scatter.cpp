#include "ui/runs/compare/context_scatter.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "ui/charts/ticks.h"
#include "ui/look/provenance_look.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

ContextScatter::ContextScatter(RunComparisonModel& source, ForestModel& forest, QWidget* parent)
    : ChartPanel(tr("Contexts of the compared runs"), parent),
      source_(source),
      forest_(forest),
      series_(new QScatterSeries),
      diagonal_(new QLineSeries),
      x_axis_(new QValueAxis),
      y_axis_(new QValueAxis) {
  for (QValueAxis* axis : {x_axis_, y_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(y_axis_, Qt::AlignLeft);
  for (QXYSeries* series : {static_cast<QXYSeries*>(diagonal_), static_cast<QXYSeries*>(series_)}) {
    chart().addSeries(series);
    series->attachAxis(x_axis_);
    series->attachAxis(y_axis_);
  }
  series_->setMarkerSize(1);  // it gives the scale; the points are painted
  series_->setColor(Qt::transparent);
  series_->setBorderColor(Qt::transparent);
  connect(&forest_, &QAbstractItemModel::modelReset, this, [this] { invalidate(); });
  brush_ = new ChartBrush(*this, canvas(), tr("Contexts of the compared runs"), keys(), [this] { return key_rows(); });
  set_theme(theme());
}

void ContextScatter::set_metric(const QString& name) {
  if (name == metric_) return;
  metric_ = name;
  zoom().forget();
  invalidate_at_once();
}

void ContextScatter::set_context(const QString& context) {
  if (context == context_) return;
  context_ = context;
  repaint_overlay();
}

const ComparedMetric* ContextScatter::compared() const {
  const auto& metrics = source_.comparison().metrics;
  const auto found = std::ranges::find(metrics, from_q(metric_), &ComparedMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<ContextScatter::Point> ContextScatter::points() const {
  std::vector<Point> points;
  const auto& contexts = source_.details().contexts;
  const auto found = contexts.find(from_q(metric_));
  if (found == contexts.end() || forest_.other() < 0) return points;
  const auto &before = found->second[source_.comparison().baseline],
             &after = found->second[static_cast<std::size_t>(forest_.other())];
  points.reserve(before.size());
  for (const auto& [context, value] : before)
    if (const auto other = after.find(context); other != after.end())
      points.push_back({to_q(context), value, other->second});
  return points;
}

QString ContextScatter::axis_title(int side) const {
  const ComparedMetric* metric = compared();
  if (metric == nullptr || side < 0) return {};
  const QString name = QStringLiteral("%1: %2").arg(RunComparisonModel::letter(side), core_text(metric->name));
  const bool plain = metric->unit == "1" || metric->unit.empty();
  return (plain ? name : QStringLiteral("%1 (%2)").arg(name, to_q(metric->unit))).toHtmlEscaped();
}

Provenance ContextScatter::provenance() const {
  Provenance weakest = Provenance::measured;
  const ComparedMetric* metric = compared();
  if (metric == nullptr || forest_.other() < 0) return weakest;
  for (const std::size_t side : {source_.comparison().baseline, static_cast<std::size_t>(forest_.other())})
    if (const auto& value = metric->values[side]) weakest = std::max(weakest, value->provenance);
  return weakest;
}

void ContextScatter::set_axes(double low, double high) {
  const double from = low > 0 && low <= 0.5 * high ? 0 : low;
  const double room = high > from ? 0.06 * (high - from) : std::max(1e-6, 0.05 * std::abs(high));
  const double first = from == 0 ? 0 : from - room, last = high + room;
  set_round_ticks(*x_axis_, first, last, 5);
  set_round_ticks(*y_axis_, first, last, compact() ? 3 : 5);
  diagonal_->replace(QList<QPointF>{{first, first}, {last, last}});
}

void ContextScatter::refresh() {
  shown_ = points();
  QList<QPointF> at;
  at.reserve(static_cast<qsizetype>(shown_.size()));
  double low = 1e300, high = -1e300;
  for (const Point& point : shown_) {
    at.append({point.baseline.value, point.other.value});
    low = std::min({low, point.baseline.value, point.other.value});
    high = std::max({high, point.baseline.value, point.other.value});
  }
  series_->replace(at);
  diagonal_->setPen(curve_pen(theme().muted, 1.2, line_dashes(1)));
  diagonal_->setVisible(!shown_.empty());
  if (!shown_.empty()) set_axes(low, high);
  x_axis_->setTitleText(axis_title(static_cast<int>(source_.comparison().baseline)));
  y_axis_->setTitleText(axis_title(forest_.other()));
  std::vector<LegendItem> items;
  if (!shown_.empty()) {
    items.push_back({"", tr("a context"),
                     tr("Value of each run over its answers about the context, %1").arg(provenance_text(provenance())),
                     LegendItem::Sign::marker, theme().accent, look_of(provenance()), false});
    items.push_back({"", tr("equal"), tr("On this line both runs have the same value"), LegendItem::Sign::dashed_line,
                     theme().muted, MarkerLook::measured, false, 0, line_dashes(1)});
  }
  legend().set_items(std::move(items));
}

QPointF ContextScatter::place(const Point& point) const {
  return chart().mapToPosition({point.baseline.value, point.other.value}, series_);
}

void ContextScatter::paint_over(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  const MarkerLook look = look_of(provenance());
  for (const Point& point : shown_) draw_marker(painter, place(point), look, theme().accent, theme().base, 5);
  brush_->paint(painter, theme());
  const auto chosen = std::ranges::find_if(shown_, [this](const Point& point) { return point.context == context_; });
  if (context_.isEmpty() || chosen == shown_.end()) return;
  painter.setPen(QPen(theme().text, 1.8));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(place(*chosen), 9, 9);
}

QString ContextScatter::value_in_words(double value) const {
  const ComparedMetric* metric = compared();
  if (metric == nullptr) return {};
  const QString number = to_q(format_fixed(value, compared_digits(metric->unit)));
  return metric->unit == "1" || metric->unit.empty() ? number : number + ' ' + to_q(metric->unit);
}

QString ContextScatter::tip_of(const Point& point) const {
  const QString base = RunComparisonModel::letter(static_cast<int>(source_.comparison().baseline)),
                other = RunComparisonModel::letter(forest_.other());
  return tr("%1\n%2: %3 (n = %4)\n%5: %6 (n = %7)\nClick to select the context")
      .arg(point.context, base, value_in_words(point.baseline.value), QString::number(point.baseline.n), other,
           value_in_words(point.other.value), QString::number(point.other.n));
}

// From left to right.
PointKeys::Rows ContextScatter::key_rows() const {
  std::vector<PointStop> row;
  if (forest_.other() < 0) return {};
  row.reserve(shown_.size());
  for (const Point& point : shown_)
    row.push_back(
        {QStringLiteral("contexts"), point.context, point.baseline.value, mark_around(place(point)), tip_of(point)});
  std::ranges::stable_sort(row, {}, &PointStop::along);
  return row.empty() ? PointKeys::Rows() : PointKeys::Rows{row};
}

QString ContextScatter::empty_text() const {
  if (!shown_.empty()) return {};
  const ComparedMetric* metric = compared();
  return metric != nullptr && !source_.details().contexts.contains(metric->name)
             ? tr("This metric has one value per run. Choose another metric.")
             : tr("No context was asked about in both runs.");
}

ChartTable ContextScatter::table() const {
  ChartTable table{{"context", "baseline", "baseline_n", "run", "run_n"}, {}};
  table.plot = {"baseline", {"run"}, true};
  for (const Point& point : points())
    table.rows.append({point.context, QString::number(point.baseline.value, 'g', 9), QString::number(point.baseline.n),
                       QString::number(point.other.value, 'g', 9), QString::number(point.other.n)});
  return table;
}

}  // namespace kvantage
