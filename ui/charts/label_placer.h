// Puts short labels beside points so that they do not cover each other: a few places around the point are tried, then
// places further away, from which a thin line leads to the point. A label that fits nowhere is left out (its point
// still has a tooltip).
#pragma once

#include <QLineF>
#include <QPainter>
#include <QRectF>
#include <optional>
#include <vector>

namespace kvantage {

class LabelPlacer {
 public:
  explicit LabelPlacer(const QRectF& bounds) : bounds_(bounds) {}
  /// Nothing may be written here: markers, other labels.
  void block(const QRectF& rect) { taken_.push_back(rect); }
  /// Draws `text` near `at`; false when there was no room.
  bool draw(QPainter& painter, const QPointF& at, const QString& text, const QColor& color, const QColor& ground,
            double distance = 9);
  /// Of the labels that were drawn, in their order.
  const std::vector<QRectF>& labels() const { return labels_; }

 private:
  QRectF bounds_;
  /// Of a line from `at` that would lead to `rect`; nothing where it would cross another label.
  std::optional<QLineF> leader(const QPointF& at, const QRectF& rect, double from) const;

  std::vector<QRectF> taken_, labels_;
};

}  // namespace kvantage
