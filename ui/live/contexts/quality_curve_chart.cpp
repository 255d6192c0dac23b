#include "ui/live/contexts/quality_curve_chart.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/charts/ticks.h"
#include "ui/look/method_look.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double stroked_radius = 4.2;  // so that strokes inside of a marker are seen

QString level_text(const ProfileChance& level) {
  return QualityCurveChart::tr("%1 (95 %: %2 to %3, n = %4)")
      .arg(quality_text(level.mean), quality_text(level.low), quality_text(level.high))
      .arg(level.n);
}

}  // namespace

QualityCurveChart::QualityCurveChart(SensitivityModel& model, QWidget* parent)
    : ChartPanel(tr("Quality of one context"), parent),
      model_(model),
      x_axis_(new QValueAxis),
      quality_axis_(new QValueAxis),
      anchor_(new QLineSeries) {
  x_axis_->setTickType(QValueAxis::TicksDynamic);
  quality_axis_->setTitleText(tr("Quality"));
  quality_axis_->setTickType(QValueAxis::TicksDynamic);
  quality_axis_->setLabelFormat("%.1f");
  quality_axis_->setTickInterval(0.2);
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  chart().addSeries(anchor_);
  anchor_->attachAxis(x_axis_);
  anchor_->attachAxis(quality_axis_);
  anchor_->setPen(Qt::NoPen);
  connect(&model_, &SensitivityModel::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

void QualityCurveChart::set_by_bytes(bool by_bytes) {
  if (by_bytes != by_bytes_) zoom().forget();
  by_bytes_ = by_bytes;
  invalidate();
}

double QualityCurveChart::x_of(const SensitivityModel::CurvePoint& point) const {
  return by_bytes_ ? point.kept_bytes / 1048576.0 : point.removed_fraction * 100;
}

QPointF QualityCurveChart::place(const SensitivityModel::CurvePoint& point, double quality) const {
  return chart().mapToPosition({x_of(point), quality}, anchor_);
}

void QualityCurveChart::refresh() {
  curves_ = model_.curves();
  baselines_ = model_.baselines();
  double high_x = by_bytes_ ? 0.1 : 100, top = 1;
  std::vector<LegendItem> items;
  for (auto& [name, series] : series_) series->setVisible(false);
  for (const auto& curve : curves_) {
    QLineSeries*& series = series_[curve.method];
    if (!series) {
      series = new QLineSeries;
      series->setName(curve.method);
      chart().addSeries(series);
      series->attachAxis(x_axis_);
      series->attachAxis(quality_axis_);
    }
    QList<QPointF> points;
    for (const auto& point : curve.points) {
      points.append({x_of(point), point.quality});
      high_x = std::max(high_x, x_of(point));
      top = std::max(top, point.high);
    }
    series->replace(points);
    series->setPen(curve_pen(theme().method(curve.method), 1.9, method_dashes(curve.method)));
    series->setVisible(true);
    items.push_back({"",
                     curve.method,
                     tr("%1: measured on the profile questions; band: 95 % interval").arg(curve.method),
                     LegendItem::Sign::line,
                     theme().method(curve.method),
                     {},
                     false,
                     method_strokes(curve.method),
                     method_dashes(curve.method)});
  }
  if (!items.empty()) {
    items.push_back({"",
                     tr("95 % interval"),
                     tr("95 % interval of the measured mean"),
                     LegendItem::Sign::band,
                     theme().muted,
                     {},
                     false});
    items.push_back({"", tr("current choice"), tr("The policy's current choice for this context"),
                     LegendItem::Sign::marker, theme().text, MarkerLook::predicted, false});
  }
  if (baselines_.uncompressed)
    items.push_back({"",
                     tr("uncompressed"),
                     tr("Long dashes: reuse without compression, %1").arg(level_text(*baselines_.uncompressed)),
                     LegendItem::Sign::dashed_line,
                     theme().text,
                     {},
                     false});
  if (baselines_.chance)
    items.push_back({"",
                     tr("chance"),
                     tr("Short dashes: chance level, the score of an answer to another question of the family, %1")
                         .arg(level_text(*baselines_.chance)),
                     LegendItem::Sign::dashed_line,
                     theme().muted,
                     {},
                     false});
  legend().set_items(std::move(items));
  x_axis_->setTitleText(by_bytes_ ? tr("Stored bytes (MiB)") : tr("Removed tokens (%)"));
  const double x_end = by_bytes_ ? high_x * 1.05 : 100;
  const auto ticks = linear_ticks(0, x_end, 6);
  x_axis_->setTickAnchor(0);
  if (ticks.size() > 1) {
    set_ticks(*x_axis_, 0, x_end, ticks[1]);
    x_axis_->setLabelFormat(ticks[1] < 0.095 ? "%.2f" : ticks[1] < 0.95 ? "%.1f" : "%.0f");
  }
  set_ticks(*quality_axis_, 0, top * 1.03, compact() ? 0.5 : 0.2);
}

void QualityCurveChart::paint_over(QPainter& painter) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-9, -9, 9, 9));
  for (const auto& [level, color, dashes] : {std::tuple{baselines_.uncompressed, theme().text, QList<qreal>{8, 4}},
                                             std::tuple{baselines_.chance, theme().muted, QList<qreal>{2, 3}}}) {
    if (!level) continue;
    QPen pen(color, 1.2);
    pen.setDashPattern(dashes);
    painter.setPen(pen);
    const QRectF area = chart().plotArea();
    const double y = chart().mapToPosition({0, level->mean}, anchor_).y();
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
  }
  for (const auto& curve : curves_) {
    QPolygonF band;
    for (const auto& point : curve.points) band << place(point, point.high);
    for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point) band << place(*point, point->low);
    QColor fill = theme().method(curve.method);
    fill.setAlphaF(0.13f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(band);
    const unsigned strokes = method_strokes(curve.method);
    for (const auto& point : curve.points)
      draw_marker(painter, place(point, point.quality), MarkerLook::measured, theme().method(curve.method),
                  theme().base, strokes == 0 ? 2.8 : stroked_radius, true, strokes);
  }
  for (const auto& curve : curves_)
    for (const auto& point : curve.points)
      if (point.chosen) {
        const QColor color = point.removed_fraction <= 0 ? theme().method("none") : theme().method(curve.method);
        QColor halo = color;
        halo.setAlphaF(0.25f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawEllipse(place(point, point.quality), 11, 11);
        draw_marker(painter, place(point, point.quality), MarkerLook::predicted, color, theme().base, 6, true,
                    point.removed_fraction <= 0 ? 0 : method_strokes(curve.method));
      }
  painter.restore();
}

QualityCurveChart::Hit QualityCurveChart::hit(const QPointF& at) const {
  for (const auto& curve : curves_)
    for (const auto& point : curve.points) {
      const QPointF where = place(point, point.quality);
      if (std::hypot(where.x() - at.x(), where.y() - at.y()) <= 8) return {&curve, &point};
    }
  return {};
}

QString QualityCurveChart::tip_at(const QPointF& at) const {
  const auto [curve, point] = hit(at);
  return point ? tip_of(*curve, *point) : QString();
}

QString QualityCurveChart::tip_of(const SensitivityModel::MethodCurve& curve,
                                  const SensitivityModel::CurvePoint& point) const {
  QString beside;
  if (baselines_.uncompressed) beside += '\n' + tr("uncompressed %1").arg(level_text(*baselines_.uncompressed));
  if (baselines_.chance) beside += '\n' + tr("chance level %1").arg(level_text(*baselines_.chance));
  if (point.pooled) beside.prepend('\n' + tr("pooled from similar contexts"));
  if (point.chosen) beside.prepend('\n' + tr("the policy's current choice"));
  return tr("%1\nquality %2 (95 %: %3 to %4, n = %5)\n%6 stored%7\nClick to select %8")
      .arg(configuration_text(from_q(point.removed_fraction <= 0 ? "none" : curve.method), point.removed_fraction),
           quality_text(point.quality), quality_text(point.low), quality_text(point.high))
      .arg(point.n)
      .arg(bytes_text(point.kept_bytes), beside, model_.context());
}

void QualityCurveChart::clicked_at(const QPointF& at) {
  if (curves_.empty()) return;
  if (const auto [curve, point] = hit(at); point && point->removed_fraction > 0)
    model_.set_selection(curve->method, point->removed_fraction);
  model_.pick_context(model_.context());
}

PointKeys::Rows QualityCurveChart::key_rows() const {
  PointKeys::Rows rows;
  for (const auto& curve : curves_) {
    if (curve.points.empty()) continue;
    auto& row = rows.emplace_back();
    for (const auto& point : curve.points)
      row.push_back({curve.method,
                     {},
                     point.removed_fraction,
                     mark_around(place(point, point.quality)),
                     tr("%1: %2").arg(curve.method, tip_of(curve, point))});
  }
  return rows;
}

void QualityCurveChart::entered(const PointStop& stop) {
  if (stop.along > 0) model_.set_selection(stop.row, stop.along);
  model_.pick_context(model_.context());
}

void QualityCurveChart::enterEvent(QEnterEvent* event) {
  if (!curves_.empty()) model_.hover_context(model_.context());
  ChartPanel::enterEvent(event);
}

void QualityCurveChart::leaveEvent(QEvent* event) {
  model_.hover_context({});
  ChartPanel::leaveEvent(event);
}

QString QualityCurveChart::empty_text() const {
  return curves_.empty() ? tr("This context has not been profiled yet.") : QString();
}

ChartTable QualityCurveChart::table() const {
  ChartTable table{
      {"context", "method", "removed_fraction", "stored_bytes", "quality", "quality_low", "quality_high", "n", "chosen",
       "uncompressed", "uncompressed_low", "uncompressed_high", "chance", "chance_low", "chance_high"},
      {}};
  table.plot = {by_bytes_ ? "stored_bytes" : "removed_fraction", {"quality"}};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  QStringList beside;
  const SensitivityModel::Baselines baselines = model_.baselines();
  for (const auto& level : {baselines.uncompressed, baselines.chance})
    for (const auto member : {&ProfileChance::mean, &ProfileChance::low, &ProfileChance::high})
      beside << (level ? number((*level).*member) : QString());
  for (const auto& curve : model_.curves())
    for (const auto& point : curve.points)
      table.rows.append(QStringList{model_.context(), curve.method, number(point.removed_fraction),
                                    number(point.kept_bytes), number(point.quality), number(point.low),
                                    number(point.high), QString::number(point.n), point.chosen ? "yes" : ""} +
                        beside);
  return table;
}

}  // namespace kvantage
