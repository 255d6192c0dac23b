#include "ui/runs/compare_chart.h"

#include <algorithm>
#include <cmath>

#include "core/report/answer_basis.h"
#include "ui/charts/ticks.h"
#include "ui/look/provenance_look.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr const char* ttft_name = "TTFT, service";

QString end_text(const std::optional<Interval>& interval, double Interval::*end) {
  return interval ? QString::number((*interval).*end, 'g', 9) : QString();
}

}  // namespace

CompareChart::CompareChart(RunComparisonModel& model, QWidget* parent)
    : ChartPanel(tr("TTFT versus quality of the compared runs"), parent),
      model_(model),
      series_(new QScatterSeries),
      ttft_axis_(new QValueAxis),
      quality_axis_(new QValueAxis) {
  ttft_axis_->setTitleText(tr("TTFT (ms)"));
  ttft_axis_->setTickType(QValueAxis::TicksDynamic);
  quality_axis_->setTitleText(tr("Quality"));
  quality_axis_->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(ttft_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  chart().addSeries(series_);
  series_->attachAxis(ttft_axis_);
  series_->attachAxis(quality_axis_);
  series_->setMarkerSize(1);  // it gives the scale; the points are painted with their letters
  series_->setColor(Qt::transparent);
  series_->setBorderColor(Qt::transparent);
  connect(&model_, &QAbstractItemModel::modelReset, this, [this] { invalidate(); });
  set_theme(theme());
}

const ComparedMetric* CompareChart::quality() const {
  const ComparedMetric* first = nullptr;
  const std::string wanted = model_.quality_metric();
  for (const ComparedMetric& metric : model_.comparison().metrics) {
    const std::string_view found = compared_quality_metric(metric.name);
    if (!found.empty() && found == wanted) return &metric;
    if (first == nullptr && !found.empty()) first = &metric;
  }
  return first;
}

std::vector<CompareChart::Point> CompareChart::points() const {
  const auto& metrics = model_.comparison().metrics;
  const auto ttft = std::ranges::find(metrics, ttft_name, &ComparedMetric::name);
  const ComparedMetric* score = quality();
  std::vector<Point> points;
  if (ttft == metrics.end() || score == nullptr) return points;
  for (int side = 0; side < model_.sides(); ++side) {
    const auto &x = ttft->values[static_cast<std::size_t>(side)], &y = score->values[static_cast<std::size_t>(side)];
    if (x && y)
      points.push_back({side, x->value, y->value, x->interval, y->interval, std::max(x->provenance, y->provenance)});
  }
  return points;
}

void CompareChart::refresh() {
  shown_ = points();
  QList<QPointF> at;
  double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
  for (const Point& point : shown_) {
    at.append({point.ttft_ms, point.quality});
    left = std::min(left, point.ttft_interval ? point.ttft_interval->low : point.ttft_ms);
    right = std::max(right, point.ttft_interval ? point.ttft_interval->high : point.ttft_ms);
    low = std::min(low, point.quality_interval ? point.quality_interval->low : point.quality);
    high = std::max(high, point.quality_interval ? point.quality_interval->high : point.quality);
  }
  series_->replace(at);
  if (!shown_.empty()) {
    const double wide = std::max(right - left, 0.05 * std::abs(right)) * 0.12 + 1e-6,
                 tall = std::max(high - low, 0.05) * 0.15;
    set_round_ticks(*ttft_axis_, std::max(0.0, left - wide), right + wide, 4);
    const double best = std::max(high, 1.0);  // no answer is better than 1
    set_round_ticks(*quality_axis_, std::max(0.0, low - tall), std::min(high + tall, best + 1e-9), 4);
  }
  if (const ComparedMetric* score = quality()) {
    const QString title = core_text(score->name);
    quality_axis_->setTitleText((title.left(1).toUpper() + title.mid(1)).toHtmlEscaped());  // of a recorded run
  }
  std::vector<LegendItem> items;
  for (const Point& point : shown_)
    items.push_back({"", model_.side_name(point.side),
                     tr("Means with 95 % intervals, %1").arg(provenance_text(point.provenance)),
                     LegendItem::Sign::marker, color_of(point.side), look_of(point.provenance), false});
  legend().set_items(std::move(items));
}

/// Of its policy, as in every view; their letters distinguish runs of one policy.
QColor CompareChart::color_of(int side) const {
  const auto& policies = model_.comparison().policies;
  const auto at = static_cast<std::size_t>(side);
  return at < policies.size() ? theme().policy(to_q(policies[at])) : theme().neutral(at);
}

QPointF CompareChart::place(double ttft_ms, double quality) const {
  return chart().mapToPosition({ttft_ms, quality}, series_);
}

void CompareChart::paint_over(QPainter& painter) {
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Point& point : shown_) {
    const QColor color = color_of(point.side);
    const QPointF middle = place(point.ttft_ms, point.quality);
    painter.setPen(curve_pen(color, 1.4));
    if (point.ttft_interval)
      painter.drawLine(place(point.ttft_interval->low, point.quality), place(point.ttft_interval->high, point.quality));
    if (point.quality_interval)
      painter.drawLine(place(point.ttft_ms, point.quality_interval->low),
                       place(point.ttft_ms, point.quality_interval->high));
    const bool base = static_cast<std::size_t>(point.side) == model_.comparison().baseline;
    const bool hollow = point.provenance > Provenance::throttled;
    draw_marker(painter, middle, look_of(point.provenance), color, theme().base, 9, true);
    if (base) {  // a ring around the baseline
      painter.setPen(QPen(theme().text, 1.6));
      painter.setBrush(Qt::NoBrush);
      painter.drawEllipse(middle, 12, 12);
    }
    painter.setPen(hollow ? theme().text : theme().base);
    QFont bold = painter.font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.drawText(QRectF(middle.x() - 8, middle.y() - 8, 16, 16), Qt::AlignCenter,
                     RunComparisonModel::letter(point.side));
  }
}

QString CompareChart::tip_at(const QPointF& at) const { return tip_near(at); }

// From left to right, as drawn.
PointKeys::Rows CompareChart::key_rows() const {
  std::vector<PointStop> row;
  for (const Point& point : shown_)
    row.push_back({QStringLiteral("runs"), RunComparisonModel::letter(point.side), point.ttft_ms,
                   mark_around(place(point.ttft_ms, point.quality)),
                   tr("%1\nTTFT %2 ms, quality %3 (%4)\nClick to open the run")
                       .arg(model_.side_name(point.side), QString::number(point.ttft_ms, 'f', 1),
                            quality_text(point.quality), provenance_text(point.provenance))});
  std::ranges::stable_sort(row, {}, &PointStop::along);
  return row.empty() ? PointKeys::Rows() : PointKeys::Rows{row};
}

void CompareChart::entered(const PointStop& stop) {
  const auto& runs = model_.comparison().runs;
  const int side = stop.id.front().unicode() - 'A';
  if (side >= 0 && side < static_cast<int>(runs.size())) emit runPicked(to_q(runs[static_cast<std::size_t>(side)]));
}

QString CompareChart::empty_text() const {
  return shown_.empty() ? tr("None of these runs has both a TTFT and a scored answer.") : QString();
}

ChartTable CompareChart::table() const {
  ChartTable table{{"run", "name", "ttft_service_ms", "ttft_low_95", "ttft_high_95", "quality", "quality_low_95",
                    "quality_high_95", "provenance"},
                   {}};
  table.plot = {"ttft_service_ms", {"quality"}, true};
  for (const Point& point : points())
    table.rows.append(
        {RunComparisonModel::letter(point.side), model_.side_name(point.side), QString::number(point.ttft_ms, 'g', 9),
         end_text(point.ttft_interval, &Interval::low), end_text(point.ttft_interval, &Interval::high),
         QString::number(point.quality, 'g', 9), end_text(point.quality_interval, &Interval::low),
         end_text(point.quality_interval, &Interval::high), QString::fromLatin1(to_string(point.provenance))});
  return table;
}

}  // namespace kvantage
