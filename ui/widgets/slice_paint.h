// A slice of a time line, painted alike wherever there is one.
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>

#include "ui/look/theme.h"

namespace kvantage {

struct SliceLook {
  QColor ground;
  QString text;                               // stands on it where it fits
  bool hatched = false;                       // a wait
  double radius = 0;                          // of its corners
  Qt::BrushStyle pattern = Qt::BDiagPattern;  // where hatched
};
void paint_slice(QPainter& painter, const Theme& theme, const QRectF& box, const SliceLook& look);

}  // namespace kvantage
