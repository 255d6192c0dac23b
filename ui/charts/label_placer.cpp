#include "ui/charts/label_placer.h"

#include <algorithm>
#include <array>

namespace kvantage {
namespace {

/// Around `at`, the best place first.
std::array<QPointF, 8> places_around(const QPointF& at, const QSizeF& size, double distance) {
  return {QPointF{at.x() + distance, at.y() - size.height() / 2},
          {at.x() - distance - size.width(), at.y() - size.height() / 2},
          {at.x() - size.width() / 2, at.y() - distance - size.height()},
          {at.x() - size.width() / 2, at.y() + distance},
          {at.x() + distance * 0.7, at.y() - distance * 0.7 - size.height()},
          {at.x() + distance * 0.7, at.y() + distance * 0.7},
          {at.x() - distance * 0.7 - size.width(), at.y() + distance * 0.7},
          {at.x() - distance * 0.7 - size.width(), at.y() - distance * 0.7 - size.height()}};
}

}  // namespace

std::optional<QLineF> LabelPlacer::leader(const QPointF& at, const QRectF& rect, double from) const {
  const QPointF end(std::clamp(at.x(), rect.left() + 3, rect.right() - 3),
                    std::clamp(at.y(), rect.top() + 2, rect.bottom() - 2));
  const QLineF way(at, end);
  const QLineF line(way.pointAt(std::min(1.0, from / way.length())), end);
  for (double along = 0; along <= 1; along += 2 / way.length())
    if (std::ranges::any_of(labels_, [&](const QRectF& label) { return label.contains(line.pointAt(along)); }))
      return {};
  return line;
}

bool LabelPlacer::draw(QPainter& painter, const QPointF& at, const QString& text, const QColor& color,
                       const QColor& ground, double distance) {
  const QFontMetricsF metrics(painter.font());
  const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height() + 1);
  for (const double away : {0, 14, 28, 42})
    for (const QPointF& place : places_around(at, size, distance + away)) {
      const QRectF rect(place, size);
      if (!bounds_.contains(rect)) continue;
      if (std::ranges::any_of(taken_, [&](const QRectF& other) { return other.intersects(rect); })) continue;
      if (away > 0) {
        const auto line = leader(at, rect, distance - 2);
        if (!line) continue;
        QColor thin = color;
        thin.setAlphaF(0.6f);
        painter.setPen(QPen(thin, 1));
        painter.drawLine(*line);
        for (double along = 0; along < 1; along += 3 / line->length())
          block(QRectF(line->pointAt(along), QSizeF(1, 1)));
      }
      QColor veil = ground;
      veil.setAlphaF(0.78f);
      painter.setPen(Qt::NoPen);
      painter.setBrush(veil);
      painter.drawRoundedRect(rect, 3, 3);
      painter.setPen(color);
      painter.drawText(rect, Qt::AlignCenter, text);
      taken_.push_back(rect);
      labels_.push_back(rect);
      return true;
    }
  return false;
}

}  // namespace kvantage
