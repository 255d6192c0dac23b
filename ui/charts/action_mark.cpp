// The signs of placement actions on charts and in legends.
#include <QPainter>
#include <QPainterPath>

#include "ui/live/tiers/occupancy_plot.h"

namespace kvantage {
namespace {

QPainterPath action_shape(const QPointF& at, ActionKind kind, double size) {
  QPainterPath shape;
  const auto triangle = [&](double direction) {
    shape.addPolygon(QPolygonF{at + QPointF(-size, direction * size * 0.8), at + QPointF(size, direction * size * 0.8),
                               at + QPointF(0, -direction * size * 0.9)});
    shape.closeSubpath();
  };
  switch (kind) {
    case ActionKind::store:
      shape.addEllipse(at, size * 0.5, size * 0.5);
      break;
    case ActionKind::promote:
      triangle(1);
      break;
    case ActionKind::demote:
      triangle(-1);
      break;
    case ActionKind::compress:
      shape.addRect(QRectF(at.x() - size * 0.9, at.y() - size * 0.35, size * 1.8, size * 0.7));
      break;
    case ActionKind::evict:
      for (const double slope : {1.0, -1.0}) {
        shape.moveTo(at - QPointF(0.7, 0.7 * slope) * size);
        shape.lineTo(at + QPointF(0.7, 0.7 * slope) * size);
      }
      break;
  }
  return shape;
}

}  // namespace

// In no method's color, with an edge in that of the ground, which every fill contrasts with.
void draw_action_mark(QPainter& painter, const QPointF& at, ActionKind kind, const Theme& theme, double size) {
  const QPainterPath shape = action_shape(at, kind, size);
  const bool open = kind == ActionKind::evict;
  painter.setBrush(Qt::NoBrush);
  painter.strokePath(shape, QPen(theme.base, open ? 3.6 : 2));
  if (open)
    painter.strokePath(shape, QPen(theme.text, 1.6));
  else
    painter.fillPath(shape, theme.text);
}

}  // namespace kvantage
