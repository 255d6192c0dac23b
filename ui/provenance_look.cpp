#include "ui/provenance_look.h"

#include <QPolygonF>

namespace kvantage {

MarkerLook look_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return MarkerLook::measured;
    case Provenance::throttled:
      return MarkerLook::throttled;
    case Provenance::simulated:
      return MarkerLook::simulated;
    case Provenance::predicted:
      return MarkerLook::predicted;
  }
  return MarkerLook::measured;
}

void draw_marker(QPainter& painter, const QPointF& at, MarkerLook look, const QColor& color, const QColor& ground,
                 double radius, bool strong) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QColor fill = color;
  if (!strong) fill.setAlphaF(0.45f);
  QPolygonF diamond;
  diamond << at + QPointF(0, -radius * 1.3) << at + QPointF(radius * 1.3, 0) << at + QPointF(0, radius * 1.3)
          << at + QPointF(-radius * 1.3, 0);
  const QRectF square(at.x() - radius * 0.9, at.y() - radius * 0.9, radius * 1.8, radius * 1.8);
  switch (look) {
    case MarkerLook::measured:
      painter.setPen(QPen(ground, 1));
      painter.setBrush(fill);
      painter.drawEllipse(at, radius, radius);
      break;
    case MarkerLook::throttled:
      painter.setPen(QPen(ground, 1));
      painter.setBrush(fill);
      painter.drawPolygon(diamond);
      break;
    case MarkerLook::simulated:
      painter.setPen(QPen(color, 1.6));
      painter.setBrush(ground);
      painter.drawRect(square);
      break;
    case MarkerLook::what_if: {
      QPen pen(color, 1.4);
      pen.setDashPattern({2, 1.6});
      painter.setPen(pen);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(square);
      break;
    }
    case MarkerLook::predicted:
      painter.setPen(QPen(color, 2));
      painter.setBrush(ground);
      painter.drawEllipse(at, radius, radius);
      break;
  }
  painter.restore();
}

}  // namespace kvantage
