#include "ui/live/contexts/imported/imported_chart.h"

#include <QPainter>
#include <algorithm>

#include "ui/charts/ticks.h"
#include "ui/look/method_look.h"
#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {

ImportedChart::ImportedChart(const ImportedCurves& model, QWidget* parent)
    : ChartPanel(tr("Imported quality"), parent),
      model_(model),
      x_axis_(new QValueAxis),
      quality_axis_(new QValueAxis),
      anchor_(new QLineSeries) {
  for (QValueAxis* axis : {x_axis_, quality_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  x_axis_->setTitleText(tr("Removed tokens (%)"));
  quality_axis_->setTitleText(tr("Quality (%1)").arg(provenance_text(Provenance::imported)));
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  chart().addSeries(anchor_);
  anchor_->attachAxis(x_axis_);
  anchor_->attachAxis(quality_axis_);
  anchor_->setPen(Qt::NoPen);
  connect(&model_, &ImportedCurves::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

QPointF ImportedChart::place(const ImportedPoint& point, double quality) const {
  return chart().mapToPosition({point.removed_fraction * 100, quality}, anchor_);
}

void ImportedChart::refresh() {
  curves_ = model_.curves();
  std::vector<LegendItem> items;
  for (auto& [name, series] : series_) series->setVisible(false);
  double top = model_.uncompressed().value_or(0);
  for (const ImportedCurves::Curve& curve : curves_) {
    QLineSeries*& series = series_[curve.method];
    if (series == nullptr) {
      series = new QLineSeries;
      series->setName(curve.method);
      chart().addSeries(series);
      series->attachAxis(x_axis_);
      series->attachAxis(quality_axis_);
    }
    QList<QPointF> points;
    points.reserve(static_cast<qsizetype>(curve.points.size()));
    for (const ImportedPoint& point : curve.points) {
      points.append({point.removed_fraction * 100, point.quality});
      top = std::max({top, point.quality, point.quality_high.value_or(0)});
    }
    series->replace(points);
    series->setPen(curve_pen(theme().method(curve.method), 1.6, method_dashes(curve.method)));
    series->setVisible(true);
    items.push_back({"",
                     curve.method,
                     tr("%1: %2").arg(curve.method, model_.source()),
                     LegendItem::Sign::line,
                     theme().method(curve.method),
                     {},
                     false,
                     method_strokes(curve.method),
                     method_dashes(curve.method)});
  }
  if (const auto whole = model_.uncompressed())
    items.push_back({"", tr("uncompressed"), tr("Uncompressed quality, imported: %1").arg(quality_text(*whole)),
                     LegendItem::Sign::line, theme().text});
  if (!items.empty())
    items.push_back({"", provenance_text(Provenance::imported), provenance_tip(Provenance::imported),
                     LegendItem::Sign::marker, theme().text, look_of(Provenance::imported)});
  legend().set_items(std::move(items));
  set_ticks(*x_axis_, 0, 100, compact() ? 50 : 20);
  set_round_ticks(*quality_axis_, 0, top > 0 ? top * 1.05 : 1, compact() ? 3 : 6);
}

void ImportedChart::paint_over(QPainter& painter) {
  if (curves_.empty() && !model_.uncompressed()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF plot = chart().plotArea();
  if (const auto whole = model_.uncompressed()) {
    const double y = chart().mapToPosition({0, *whole}, anchor_).y();
    painter.setPen(curve_pen(theme().text, 1));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
  }
  for (const ImportedCurves::Curve& curve : curves_) {
    const unsigned strokes = method_strokes(curve.method);
    painter.setPen(QPen(theme().method(curve.method), 1.4));
    for (const ImportedPoint& point : curve.points) {
      if (point.quality_low && point.quality_high)
        painter.drawLine(place(point, *point.quality_low), place(point, *point.quality_high));
      draw_marker(painter, place(point, point.quality), look_of(Provenance::imported), theme().method(curve.method),
                  theme().base, strokes == 0 ? 3.5 : 4.8, true, strokes);
    }
  }
  painter.restore();
}

QString ImportedChart::tip_of(const ImportedPoint& point) const {
  QString tip = tr("%1, %2 removed: quality %3")
                    .arg(to_q(point.method), percent_text(point.removed_fraction), quality_text(point.quality));
  if (point.quality_low && point.quality_high)
    tip += '\n' + tr("95 %: %1 to %2").arg(quality_text(*point.quality_low), quality_text(*point.quality_high));
  if (point.n) tip += '\n' + tr("n = %1").arg(*point.n);
  return tip + '\n' + model_.source();
}

PointKeys::Rows ImportedChart::key_rows() const {
  PointKeys::Rows rows;
  for (const ImportedCurves::Curve& curve : curves_) {
    std::vector<PointStop> stops;
    stops.reserve(curve.points.size());
    for (const ImportedPoint& point : curve.points)
      stops.push_back(
          {curve.method, {}, point.removed_fraction, mark_around(place(point, point.quality)), tip_of(point)});
    if (!stops.empty()) rows.push_back(std::move(stops));
  }
  return rows;
}

QString ImportedChart::empty_text() const {
  if (!curves_.empty()) return {};
  return model_.profile() == nullptr ? tr("No curves are imported yet. Import a table, a folder of kvpress "
                                          "evaluations or a LongBench result file, or drop one here.")
                                     : tr("This data set has its uncompressed quality alone.");
}

ChartTable ImportedChart::table() const {
  ChartTable table{
      {"provenance", "source", "dataset", "method", "removed_fraction", "quality", "quality_low", "quality_high", "n"},
      {}};
  const ImportedProfile* profile = model_.profile();
  if (profile == nullptr) return table;
  const auto text = [](const std::optional<double>& value) {
    return value ? QString::number(*value, 'g', 9) : QString();
  };
  for (const ImportedPoint& point : profile->points)
    if (to_q(point.dataset) == model_.dataset())
      table.rows.append({QString::fromLatin1(to_string(Provenance::imported)), model_.source(), to_q(point.dataset),
                         to_q(point.method), text(point.removed_fraction), text(point.quality), text(point.quality_low),
                         text(point.quality_high), point.n ? QString::number(*point.n) : QString()});
  return table;
}

}  // namespace kvantage
