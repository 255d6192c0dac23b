#include "ui/charts/linked_cursor.h"

#include <QMouseEvent>
#include <QWidget>
#include <algorithm>

namespace kvantage {

LinkedCursor::LinkedCursor(QWidget& canvas, TimeCursor& cursor, TimeReading reading)
    : QObject(&canvas), canvas_(canvas), cursor_(&cursor), reading_(std::move(reading)) {
  canvas.setMouseTracking(true);
  canvas.installEventFilter(this);
  connect(&cursor, &TimeCursor::moved, &canvas, [&canvas] { canvas.update(); });
}

bool LinkedCursor::eventFilter(QObject* watched, QEvent* event) {
  if (!cursor_) return QObject::eventFilter(watched, event);
  if (event->type() == QEvent::MouseMove) {
    const QPointF at = static_cast<const QMouseEvent*>(event)->position();
    const QRectF area = reading_.area();
    const bool inside = area.width() > 0 && area.contains(at);
    cursor_->point_at(inside ? reading_.seconds_at((at.x() - area.left()) / area.width()) : std::nullopt);
  } else if (event->type() == QEvent::Leave || event->type() == QEvent::Hide) {
    cursor_->point_at(std::nullopt);
  }
  return QObject::eventFilter(watched, event);
}

void LinkedCursor::paint(QPainter& painter, const Theme& theme) const {
  const auto seconds = cursor_ ? cursor_->seconds() : std::nullopt;
  const auto share = seconds ? reading_.share_at(*seconds) : std::nullopt;
  if (!share || *share < 0 || *share > 1) return;
  const QRectF area = reading_.area();
  const double x = area.left() + *share * area.width();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(theme.muted, 1));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  if (const QString text = reading_.text(*seconds); !text.isEmpty()) {
    const QFontMetrics letters = painter.fontMetrics();
    const double wide = letters.horizontalAdvance(text) + 6.0;
    // On the side of the line that has room, and within the plot.
    const double left = std::clamp(x + 3 + wide <= area.right() ? x + 3 : x - 3 - wide, area.left(),
                                   std::max(area.left(), area.right() - wide));
    const QRectF box(left, area.top() + 2, wide, letters.height() + 2.0);
    QColor ground = theme.base;
    ground.setAlphaF(0.85f);
    painter.fillRect(box, ground);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
  }
  painter.restore();
}

}  // namespace kvantage
