#include "ui/live/contexts/imported/what_if_chart.h"

#include <QPainter>
#include <algorithm>

#include "ui/charts/ticks.h"
#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {

WhatIfChart::WhatIfChart(const WhatIfModel& model, QWidget* parent)
    : ChartPanel(tr("What-if on imported curves"), parent),
      model_(model),
      ttft_axis_(new QValueAxis),
      quality_axis_(new QValueAxis),
      anchor_(new QLineSeries) {
  for (QValueAxis* axis : {ttft_axis_, quality_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  ttft_axis_->setTitleText(tr("TTFT without queueing (s, simulated)"));
  quality_axis_->setTitleText(tr("Quality (%1)").arg(provenance_text(Provenance::imported)));
  chart().addAxis(ttft_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  chart().addSeries(anchor_);
  anchor_->attachAxis(ttft_axis_);
  anchor_->attachAxis(quality_axis_);
  anchor_->setPen(Qt::NoPen);
  connect(&model_, &WhatIfModel::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

QPointF WhatIfChart::place(const WhatIfPoint& point) const {
  return chart().mapToPosition({point.ttft_seconds, point.quality}, anchor_);
}

void WhatIfChart::refresh() {
  std::map<QString, QList<QPointF>> lines;
  double longest = 0, best = 0;
  for (const WhatIfPoint& point : model_.points()) {
    lines[to_q(point.policy)].append({point.ttft_seconds, point.quality});
    longest = std::max(longest, point.ttft_seconds);
    best = std::max(best, point.quality);
  }
  for (auto& [name, line] : series_) line->setVisible(false);
  std::vector<LegendItem> items;
  for (const auto& [policy, points] : lines) {
    QLineSeries*& line = series_[policy];
    if (line == nullptr) {
      line = new QLineSeries;
      line->setName(policy);
      chart().addSeries(line);
      line->attachAxis(ttft_axis_);
      line->attachAxis(quality_axis_);
    }
    line->replace(points);
    line->setPen(curve_pen(theme().policy(policy), 1.6, {4, 2}));
    line->setVisible(true);
    items.push_back(
        {"", policy, tr("%1: %2").arg(policy, model_.note()), LegendItem::Sign::dashed_line, theme().policy(policy)});
  }
  if (!items.empty())
    items.push_back({"", provenance_text(Provenance::imported), provenance_tip(Provenance::imported),
                     LegendItem::Sign::marker, theme().text, look_of(Provenance::imported)});
  legend().set_items(std::move(items));
  set_round_ticks(*ttft_axis_, 0, longest > 0 ? longest * 1.05 : 1, compact() ? 3 : 6);
  set_round_ticks(*quality_axis_, 0, best > 0 ? best * 1.05 : 1, compact() ? 3 : 6);
}

void WhatIfChart::paint_over(QPainter& painter) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const WhatIfPoint& point : model_.points())
    draw_marker(painter, place(point), look_of(Provenance::imported), theme().policy(to_q(point.policy)), theme().base,
                3.5);
  painter.restore();
}

QString WhatIfChart::tip_of(const WhatIfPoint& point) const {
  const QString name = point.alpha ? tr("%1, α %2").arg(to_q(point.policy)).arg(*point.alpha) : to_q(point.policy);
  return tr("%1: TTFT %2, quality %3, %4 of requests with a hit")
             .arg(name, seconds_text(point.ttft_seconds), quality_text(point.quality), percent_text(point.hit_share)) +
         '\n' + model_.note();
}

PointKeys::Rows WhatIfChart::key_rows() const {
  std::map<QString, std::vector<PointStop>> stops;
  for (const WhatIfPoint& point : model_.points())
    stops[to_q(point.policy)].push_back(
        {to_q(point.policy), {}, point.ttft_seconds, mark_around(place(point)), tip_of(point)});
  PointKeys::Rows rows;
  for (auto& [policy, row] : stops) rows.push_back(std::move(row));
  return rows;
}

QString WhatIfChart::empty_text() const { return model_.points().empty() ? model_.note() : QString(); }

ChartTable WhatIfChart::table() const {
  ChartTable table{{"provenance", "source", "policy", "alpha", "ttft_seconds", "quality", "hit_share"}, {}};
  for (const WhatIfPoint& point : model_.points())
    table.rows.append({QString::fromLatin1(to_string(Provenance::imported)), model_.note(), to_q(point.policy),
                       point.alpha ? QString::number(*point.alpha) : QString(),
                       QString::number(point.ttft_seconds, 'g', 9), QString::number(point.quality, 'g', 9),
                       QString::number(point.hit_share, 'g', 9)});
  return table;
}

}  // namespace kvantage
