#include "ui/live/requests/timing_bar_delegate.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

namespace kvantage {

QColor segment_color(const Theme& theme, RequestsModel::Segment segment) {
  switch (segment) {
    case RequestsModel::lookup:
      return theme.lookup;
    case RequestsModel::load:
      return theme.load;
    case RequestsModel::unpack:
      return theme.unpack;
    case RequestsModel::context_prefill:
      return theme.context_prefill;
    default:
      return theme.question_prefill;
  }
}

void TimingBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem ground = option;
  initStyleOption(&ground, index);
  ground.text.clear();
  const QStyle* style = ground.widget ? ground.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
  if (index.data(RequestsModel::running_role).toBool()) return;
  const QVariantList seconds = index.data(RequestsModel::segments_role).toList();
  const double scale = index.data(RequestsModel::bar_role).toDouble();
  if (seconds.isEmpty() || !(scale > 0)) return;
  QRectF area = QRectF(option.rect).adjusted(5, 4, -5, -4);
  double total = 0;
  for (const QVariant& part : seconds) total += part.toDouble();
  if (total <= 0) return;
  const double length = area.width() * std::min(1.0, total / scale);
  painter->save();
  painter->setPen(Qt::NoPen);
  painter->setRenderHint(QPainter::Antialiasing);
  double x = area.left();
  for (int i = 0; i < seconds.size(); ++i) {
    const double part = length * seconds[i].toDouble() / total;
    if (part <= 0) continue;
    painter->setBrush(segment_color(theme_, static_cast<RequestsModel::Segment>(i)));
    painter->drawRect(QRectF(x, area.top(), part, area.height()));
    x += part;
  }
  if (total > scale * 1.001) {  // longer than the column: the end is torn
    painter->setBrush(option.palette.base());
    for (int i = 0; i < 2; ++i)
      painter->drawRect(QRectF(area.right() - 7 - 5 * i, area.top() - 1, 2, area.height() + 2));
  }
  painter->restore();
}

}  // namespace kvantage
