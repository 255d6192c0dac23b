#include "ui/look/provenance_look.h"

#include <QLineF>
#include <QPolygonF>
#include <array>

#include "core/base/form_text.h"
#include "core/policy/policy_info.h"

namespace kvantage {
namespace {

// Bits: upright, level, rising, falling.
constexpr std::array<unsigned, 15> stroke_sets = {2, 1, 4, 8, 5, 6, 9, 10, 12, 3, 15, 7, 11, 13, 14};

}  // namespace

unsigned policy_strokes(const QString& text_form) {
  const std::string text = text_form.toStdString();
  const PolicyInfo* asked = find_policy_info(FormText::name_of(text));
  if (asked == nullptr || asked->traits.has_color_of_method) return 0;
  std::size_t before = 0;
  for (const PolicyInfo& info : policy_infos()) {
    if (&info == asked) break;
    if (!info.traits.has_color_of_method) ++before;
  }
  return stroke_sets[before % stroke_sets.size()];
}

unsigned series_strokes(std::size_t place) { return place == 0 ? 0 : stroke_sets[(place - 1) % stroke_sets.size()]; }

void draw_strokes(QPainter& painter, const QPointF& at, unsigned strokes, const QColor& color, double half) {
  painter.setPen(QPen(color, 1.2));
  const double slanted = 0.8 * half;
  const std::array<QPointF, 4> ends{QPointF(0, -half), QPointF(half, 0), QPointF(slanted, -slanted),
                                    QPointF(slanted, slanted)};
  for (std::size_t i = 0; i < ends.size(); ++i)
    if ((strokes >> i & 1U) != 0) painter.drawLine(QLineF(at - ends[i], at + ends[i]));
}

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
    case Provenance::imported:
      return MarkerLook::imported;
  }
  return MarkerLook::measured;
}

void draw_marker(QPainter& painter, const QPointF& at, MarkerLook look, const QColor& color, const QColor& ground,
                 double radius, bool strong, unsigned strokes) {
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
    case MarkerLook::imported: {
      QPolygonF triangle;
      triangle << at + QPointF(0, -radius * 1.2) << at + QPointF(radius * 1.1, radius * 0.8)
               << at + QPointF(-radius * 1.1, radius * 0.8);
      painter.setPen(QPen(color, 1.6));
      painter.setBrush(ground);
      painter.drawPolygon(triangle);
      break;
    }
  }
  const bool filled = look == MarkerLook::measured || look == MarkerLook::throttled;
  if (strokes != 0) draw_strokes(painter, at, strokes, filled ? ground : color, 0.6 * radius);
  painter.restore();
}

}  // namespace kvantage
