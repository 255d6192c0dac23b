#include "ui/charts/label_placer.h"

#include <algorithm>

namespace kvantage {

bool LabelPlacer::draw(QPainter& painter, const QPointF& at, const QString& text, const QColor& color,
                       const QColor& ground, double distance) {
  const QFontMetricsF metrics(painter.font());
  const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height() + 1);
  const QPointF places[] = {{at.x() + distance, at.y() - size.height() / 2},
                            {at.x() - distance - size.width(), at.y() - size.height() / 2},
                            {at.x() - size.width() / 2, at.y() - distance - size.height()},
                            {at.x() - size.width() / 2, at.y() + distance},
                            {at.x() + distance * 0.7, at.y() - distance * 0.7 - size.height()},
                            {at.x() + distance * 0.7, at.y() + distance * 0.7},
                            {at.x() - distance * 0.7 - size.width(), at.y() + distance * 0.7},
                            {at.x() - distance * 0.7 - size.width(), at.y() - distance * 0.7 - size.height()}};
  for (const QPointF& place : places) {
    const QRectF rect(place, size);
    if (!bounds_.contains(rect)) continue;
    if (std::any_of(taken_.begin(), taken_.end(), [&](const QRectF& other) { return other.intersects(rect); }))
      continue;
    QColor veil = ground;
    veil.setAlphaF(0.78f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(veil);
    painter.drawRoundedRect(rect, 3, 3);
    painter.setPen(color);
    painter.drawText(rect, Qt::AlignCenter, text);
    taken_.push_back(rect);
    return true;
  }
  return false;
}

}  // namespace kvantage
