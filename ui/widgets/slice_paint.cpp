#include "ui/widgets/slice_paint.h"

#include <QFontMetricsF>

namespace kvantage {

void paint_slice(QPainter& painter, const Theme& theme, const QRectF& box, const SliceLook& look) {
  const bool rounded = look.radius > 0 && box.width() > 3 * look.radius;
  if (look.hatched) {
    QColor thin = look.ground;
    thin.setAlphaF(0.25f);
    painter.fillRect(box, thin);
    painter.fillRect(box, QBrush(look.ground, look.pattern));
  } else if (!rounded) {
    painter.fillRect(box, look.ground);
  }
  if (box.width() < 4) return;
  painter.setPen(QPen(theme.base, 0.8));
  painter.setBrush(rounded ? QBrush(look.ground) : QBrush(Qt::NoBrush));
  if (rounded)
    painter.drawRoundedRect(box, look.radius, look.radius);
  else
    painter.drawRect(box);
  const QFontMetricsF metrics(painter.font());
  const double wide = metrics.horizontalAdvance(look.text), high = metrics.height();
  if (look.text.isEmpty() || wide + 6 > box.width() || high > box.height()) return;
  if (look.hatched) {  // letters between strokes cannot be read
    QRectF under(0, 0, wide + 6, high);
    under.moveCenter(box.center());
    painter.fillRect(under & box, theme.base);
  }
  painter.setPen(look.hatched                      ? theme.text
                 : look.ground.lightnessF() > 0.55 ? QColor(20, 22, 26)
                                                   : QColor(250, 250, 250));
  painter.drawText(box, Qt::AlignCenter, look.text);
}

}  // namespace kvantage
