// What Occupancy says of the place under the mouse, and of the moment that all time charts mark.
#include <QHelpEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/charts/pinned_tip.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/text/words.h"

namespace kvantage {

/// Marks of the chosen context come first: they are painted on top.
const TierSeriesModel::Mark* OccupancyPlot::mark_at(const QPointF& at) const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  const QRectF area = plot();
  if (!tier || !area.contains(at) || at.y() <= area.bottom() - 12) return nullptr;
  const TierSeriesModel::Mark* found = nullptr;
  const Scale now = scale(tier);
  for (const auto& mark : tier->marks) {
    if (std::abs(now.x(mark.seconds) - at.x()) > 5) continue;
    if (!chosen_.isEmpty() && mark.context == chosen_) return &mark;
    if (!found) found = &mark;
  }
  return found;
}

const TierSeriesModel::Sample* OccupancyPlot::sample_at(double seconds) const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  if (tier == nullptr) return nullptr;
  const auto after = std::ranges::upper_bound(tier->samples, seconds, {}, &TierSeriesModel::Sample::seconds);
  return after == tier->samples.begin() ? nullptr : &*std::prev(after);
}

QString OccupancyPlot::sample_tip(const TierSeriesModel::Sample& sample) const {
  const QString used = bytes_text(static_cast<double>(sample.used_bytes));
  QString tip = sample.budget_bytes > 0 ? tr("%1 at %2: %3 of %4")
                                              .arg(to_q(tier_), seconds_text(sample.seconds), used,
                                                   bytes_text(static_cast<double>(sample.budget_bytes)))
                                        : tr("%1 at %2: %3").arg(to_q(tier_), seconds_text(sample.seconds), used);
  for (const auto& [method, bytes] : sample.bytes_by_method)
    tip += QStringLiteral("\n%1: %2")
               .arg(method == "none" ? tr("uncompressed") : to_q(method), bytes_text(static_cast<double>(bytes)));
  return tip;
}

QString OccupancyPlot::mark_tip(const TierSeriesModel::Mark& mark) {
  return mark.context.isEmpty() ? mark.text : mark.text + '\n' + tr("Click to select %1").arg(mark.context);
}

QString OccupancyPlot::tip_at(const QPointF& at) const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  const double seconds = scale(tier).seconds_at(at.x());
  if (!tier || tier->samples.empty() || !plot().contains(at) || seconds > model_.last_seconds()) return {};
  if (const auto* mark = mark_at(at)) return mark_tip(*mark);
  const TierSeriesModel::Sample* sample = sample_at(seconds);
  return sample_tip(sample != nullptr ? *sample : tier->samples.front());
}

bool OccupancyPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  PinnedTip::hover(*this, help->globalPos(), tip_at(help->pos()));
  return true;
}

void OccupancyPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton)
    PinnedTip::click(*this, event->globalPosition().toPoint(), tip_at(event->position()));
  QWidget::mouseReleaseEvent(event);
}

void OccupancyPlot::follow_time(TimeCursor& cursor) {
  delete linked_;
  delete linked_range_;
  range_ = &cursor.range();
  range_->reach(model_.last_seconds());
  linked_range_ = new LinkedRange(*zoom_, *range_);
  linked_ = new LinkedCursor(
      *this, cursor,
      {[this] { return plot(); },
       [this](double share) -> std::optional<double> {
         const Scale now = scale(nullptr);
         const double seconds = now.begin_seconds + share * (now.end_seconds - now.begin_seconds);
         return seconds <= model_.last_seconds() ? std::optional(seconds) : std::nullopt;
       },
       [this](double seconds) -> std::optional<double> {
         const Scale now = scale(nullptr);
         return (seconds - now.begin_seconds) / (now.end_seconds - now.begin_seconds);
       },
       [this](double seconds) {
         const TierSeriesModel::Sample* sample = sample_at(seconds);
         return sample != nullptr ? QStringLiteral("%1: %2").arg(seconds_text(seconds),
                                                                 bytes_text(static_cast<double>(sample->used_bytes)))
                                  : QString();
       }});
}

}  // namespace kvantage
