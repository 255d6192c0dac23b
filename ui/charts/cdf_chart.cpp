#include "ui/charts/cdf_chart.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "ui/charts/ticks.h"
#include "ui/text/words.h"

namespace kvantage {

CdfChart::CdfChart(SensitivityModel& model, QWidget* parent)
    : ChartPanel(tr("Sensitivity by family"), parent, history_interval_ms),
      model_(model),
      drop_axis_(new QValueAxis),
      share_axis_(new QValueAxis) {
  drop_axis_->setTitleText(tr("Relative quality drop"));
  drop_axis_->setTickType(QValueAxis::TicksDynamic);
  drop_axis_->setLabelFormat("%.1f");
  share_axis_->setTitleText(tr("Share of contexts"));
  share_axis_->setRange(0, 1);
  share_axis_->setTickCount(5);
  share_axis_->setLabelFormat("%.2f");
  chart().addAxis(drop_axis_, Qt::AlignBottom);
  chart().addAxis(share_axis_, Qt::AlignLeft);
  connect(&model_, &SensitivityModel::changed, this, [this] { invalidate(); });
  brush_ = new ChartBrush(*this, canvas(), tr("Sensitivity by family"), keys(), [this] { return key_rows(); });
  set_theme(theme());
}

void CdfChart::set_family(const QString& family) {
  family_ = family;
  invalidate();
}

void CdfChart::refresh() {
  shown_ = model_.distributions();
  find_chosen();
  double low = 0, high = 1;
  for (const auto& family : shown_) {
    low = std::min(low, family.cdf.front().x());
    high = std::max(high, family.cdf.back().x());
  }
  low = std::floor(low * 5) / 5;
  std::vector<LegendItem> items;
  for (auto& [name, series] : series_) series->setVisible(false);
  for (const auto& family : shown_) {
    QLineSeries*& series = series_[family.family];
    if (!series) {
      series = new QLineSeries;
      series->setName(family.family);
      chart().addSeries(series);
      series->attachAxis(drop_axis_);
      series->attachAxis(share_axis_);
    }
    QList<QPointF> points;
    points.append({low, 0});
    // At most two points per column of pixels.
    const auto most = static_cast<std::size_t>(std::clamp(chart().plotArea().width() * 2, 100.0, 580.0));
    const std::size_t stride = std::max<std::size_t>(1, (family.cdf.size() + most - 1) / most);
    for (std::size_t i = 0; i < family.cdf.size(); i += stride) points.append(family.cdf[i]);
    points.append({high, 1});
    series->replace(points);
    QColor color = theme().family(family.family);
    if (!family_.isEmpty() && family.family != family_) color.setAlphaF(0.35f);
    const QList<qreal> dashes = line_dashes(items.size());
    series->setPen(curve_pen(color, family.family == family_ ? 3 : 1.9, dashes));
    series->setVisible(true);
    items.push_back({"",
                     family.family,
                     tr("%1: %n context(s), median drop %2, coefficient of variation %3", nullptr,
                        static_cast<int>(family.contexts))
                         .arg(family.family, to_q(format_fixed(family.median, 3)),
                              to_q(format_fixed(family.coefficient_of_variation, 2))),
                     LegendItem::Sign::line,
                     theme().family(family.family),
                     {},
                     false,
                     0,
                     dashes});
  }
  if (model_.marked())
    items.push_back({"",
                     chosen_text(),
                     tr("Ring: the selected context on its family's curve. Esc clears the selection."),
                     LegendItem::Sign::swatch,
                     theme().accent,
                     {},
                     false});
  legend().set_items(std::move(items));
  share_axis_->setTickCount(compact() ? 3 : 5);
  set_ticks(*drop_axis_, low, high, high - low > 1.6 ? 0.5 : 0.2);
}

void CdfChart::find_chosen() {
  chosen_.reset();
  if (!model_.marked()) return;
  for (const auto& family : shown_)
    if (const auto at = family.names.indexOf(model_.context()); at >= 0) {
      chosen_ = family.cdf[static_cast<std::size_t>(2 * at + 2)];
      chosen_family_ = family.family;
    }
}

QString CdfChart::chosen_text() const {
  if (!model_.marked()) return {};
  return chosen_ ? tr("%1: drop %2").arg(model_.context(), to_q(format_fixed(chosen_->x(), 3)))
                 : tr("%1: no drop known").arg(model_.context());
}

void CdfChart::paint_over(QPainter& painter) {
  brush_->paint(painter, theme());
  const auto series = chosen_ ? series_.find(chosen_family_) : series_.end();
  if (series == series_.end()) return;
  const QPointF at = chart().mapToPosition(*chosen_, series->second);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().accent, 2));
  painter.setBrush(theme().base);
  painter.drawEllipse(at, 7, 7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().family(chosen_family_));
  painter.drawEllipse(at, 3.5, 3.5);
  painter.restore();
}

// A row for each family, its contexts in the order of their drops.
PointKeys::Rows CdfChart::key_rows() const {
  PointKeys::Rows rows;
  for (const auto& family : shown_) {
    const auto series = series_.find(family.family);
    if (series == series_.end() || family.names.isEmpty()) continue;
    auto& row = rows.emplace_back();
    for (qsizetype i = 0; i < family.names.size(); ++i) {
      const QPointF step = family.cdf[static_cast<std::size_t>(2 * i + 2)];
      row.push_back({family.family,
                     family.names[i],
                     step.x(),
                     mark_around(chart().mapToPosition(step, series->second)),
                     {},
                     [this, name = family.names[i], kind = family.family, step] {
                       return tr("%1 (%2), %3, %4 removed: drop %5\n%6 of the %2 contexts drop by this much or "
                                 "less\nClick to select %1")
                           .arg(name, kind, model_.method(), percent_text(model_.removed_fraction()),
                                to_q(format_fixed(step.x(), 3)), percent_text(step.y()));
                     }});
    }
  }
  return rows;
}

void CdfChart::entered(const PointStop& stop) { model_.pick_context(stop.id); }

QString CdfChart::empty_text() const {
  if (model_.profiled() == 0) return tr("No profile yet. Quality is being profiled in the background.");
  const bool empty =
      std::none_of(series_.begin(), series_.end(), [](const auto& entry) { return entry.second->isVisible(); });
  return empty ? tr("No context is profiled for this method and removed fraction.") : QString();
}

ChartTable CdfChart::table() const {
  ChartTable table{{"family", "relative_quality_drop", "share_of_contexts"}, {}};
  for (const auto& family : model_.distributions())
    for (const QPointF& point : family.cdf)
      table.rows.append({family.family, QString::number(point.x(), 'g', 9), QString::number(point.y(), 'g', 9)});
  return table;
}

}  // namespace kvantage
