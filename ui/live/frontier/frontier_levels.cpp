#include "ui/live/frontier/frontier_levels.h"

#include <QCoreApplication>
#include <QLineF>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/live/frontier/held_points.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FrontierLevelsText {
  Q_DECLARE_TR_FUNCTIONS(FrontierLevelsText)
};

QString label(const FrontierLevel& level) {
  const QString sign = level.beyond > 0 ? QStringLiteral(" ↑") : level.beyond < 0 ? QStringLiteral(" ↓") : QString();
  return level.name + QLatin1Char(' ') + quality_text(level.quality) + sign;
}

/// Every few pixels of a line.
void add_points(const QLineF& line, std::vector<QPointF>& points) {
  constexpr double apart = 9;
  for (double along = 0; along < line.length(); along += apart) points.push_back(line.pointAt(along / line.length()));
}

/// The intervals of a measured point, within the plot.
std::vector<QPointF> points_of_bars(const FrontierCanvas& canvas, const MeasuredPoint& point) {
  std::vector<QPointF> points;
  const auto add = [&](const FrontierMean& from, const FrontierMean& to) {
    const auto begin = canvas.position(from), end = canvas.position(to);
    if (begin && end) add_points({*begin, *end}, points);
  };
  if (point.quality.has_interval) add({point.quality.low, point.ttft.mean}, {point.quality.high, point.ttft.mean});
  if (point.ttft.has_interval) add({point.quality.mean, point.ttft.low}, {point.quality.mean, point.ttft.high});
  std::erase_if(points, [&](const QPointF& at) { return !canvas.plot.contains(at); });
  return points;
}

constexpr double present_ring = 14;  // around the present point, with its halo

/// A point that a label should leave free, and how far it reaches. A curve is many of them, and so are the places where
/// alpha may take the present point, so each of these counts less than a point that is there.
struct Mark {
  QPointF at;
  double reach = 0;
  int weight = 12;
};

/// Measured and simulated points, and the present one.
std::vector<Mark> drawn_marks(const FrontierCanvas& canvas) {
  constexpr double square = 7;
  std::vector<Mark> marks;
  const auto add = [&](const FrontierMean& mean, double reach) {
    if (const auto at = canvas.position(mean)) marks.push_back({*at, reach});
  };
  if (const auto present = canvas.model.present()) add(*present, present_ring);
  for (const MeasuredPoint& point : canvas.measured) add({point.quality.mean, point.ttft.mean}, square);
  for (const SimulatedPoint& point : canvas.model.simulated())
    if (!canvas.hidden(point.policy)) add(point.mean, square);
  for (const HeldPlace& place : held_places(canvas)) marks.push_back({place.at, square});
  return marks;
}

/// Those with their intervals, all curves, and wherever on its curve alpha may take the present point, so that a label
/// stays where it is while alpha moves.
std::vector<Mark> marks_of(const FrontierCanvas& canvas) {
  constexpr double line = 2;
  std::vector<Mark> marks = drawn_marks(canvas);
  for (const MeasuredPoint& point : canvas.measured)
    for (const QPointF& at : points_of_bars(canvas, point)) marks.push_back({at, line, 1});
  for (const FrontierCurve& curve : canvas.model.curves()) {
    if (canvas.hidden(curve.policy)) continue;
    for (const QPointF& at : points_along(canvas, curve)) marks.push_back({at, line, 1});
    if (curve.policy == canvas.model.present_policy())
      for (const FrontierSample& sample : curve.samples)
        if (const auto at = canvas.position(sample.mean)) marks.push_back({*at, present_ring, 3});
  }
  return marks;
}

bool covers(const Mark& mark, const QRectF& place) {
  return place.adjusted(-mark.reach, -mark.reach, mark.reach, mark.reach).contains(mark.at);
}

struct Place {
  QRectF box;
  int covered = std::numeric_limits<int>::max();  // weight of the marks
};

/// `box`, moved to the right by up to `way` to the first place that covers the least. So many pixels count as much as
/// the lightest mark; 0: none do.
Place freest(const QRectF& box, double way, const std::vector<Mark>& marks, double pixels_a_mark = 0) {
  constexpr double step = 4;
  Place best{box};
  for (double moved = 0; best.covered > 0 && moved <= way; moved += step) {
    Place place{box.translated(moved, 0), pixels_a_mark > 0 ? static_cast<int>(moved / pixels_a_mark) : 0};
    for (const Mark& mark : marks) place.covered += covers(mark, place.box) ? mark.weight : 0;
    if (place.covered < best.covered) best = place;
  }
  return best;
}

QRectF freest_place(const QRectF& box, double way, const std::vector<Mark>& marks) {
  return freest(box, way, marks).box;
}

}  // namespace

std::vector<QPointF> points_along(const FrontierCanvas& canvas, const FrontierCurve& curve) {
  std::vector<QPointF> points;
  std::optional<QPointF> before;
  for (const FrontierSample& sample : curve.samples) {
    const auto at = canvas.position(sample.mean);
    if (at && before) add_points({*before, *at}, points);
    before = at;
  }
  return points;
}

std::vector<FrontierLevel> frontier_levels(const FrontierCanvas& canvas) {
  std::vector<FrontierLevel> levels;
  const auto add = [&](const std::optional<double>& quality, const QString& name, const QString& what,
                       const QList<qreal>& dashes) {
    if (!quality) return;
    const auto at = canvas.position({*quality, 1});  // a level has no time
    if (!at) return;
    const int beyond = at->y() < canvas.plot.top() ? 1 : at->y() > canvas.plot.bottom() ? -1 : 0;
    levels.push_back(
        {name, what, *quality, std::clamp(at->y(), canvas.plot.top(), canvas.plot.bottom()), beyond, dashes});
  };
  const QualityLevels& known = canvas.model.quality_levels();
  add(known.uncompressed, FrontierLevelsText::tr("uncompressed"),
      FrontierLevelsText::tr("Reuse without compression; mean over %n profiled context(s)", nullptr,
                             static_cast<int>(known.contexts)),
      {8, 5});
  add(known.chance, FrontierLevelsText::tr("chance"),
      FrontierLevelsText::tr("Chance level: score of an answer to another question of the same family"), {2, 4});
  return levels;
}

QRectF corner_label_box(const FrontierCanvas& canvas, double top, const QSizeF& size) {
  const QRectF corner(QPointF(canvas.plot.left() + 8, std::max(canvas.plot.top() + 6, top)), size);
  const double way = std::max(0.0, canvas.plot.right() - 8 - corner.right());
  const std::vector<Mark> drawn = drawn_marks(canvas);
  constexpr double pixels_a_mark = 12;  // far from the corner it would not be read as one
  const QRectF box = freest(corner, way, marks_of(canvas), pixels_a_mark).box;
  const bool free = std::ranges::none_of(drawn, [&](const Mark& mark) { return covers(mark, box); });
  return free ? box : freest_place(corner, way, drawn);
}

namespace {

QRectF level_label_box(const FrontierCanvas& canvas, const FrontierLevel& level, const QSizeF& size,
                       const std::vector<Mark>& marks) {
  // Above its line where there is room, as curves stay below it; that of a level beyond the chart at the right, where
  // curves have ended.
  constexpr double over_the_plot = 5;  // the legend is further away
  const bool fits_above = level.y - size.height() - 1 >= canvas.plot.top() - over_the_plot;
  const bool fits_below = level.y + size.height() + 2 <= canvas.plot.bottom();
  const bool over = level.beyond < 0 || (level.beyond == 0 && (fits_above || !fits_below));
  const QRectF above(QPointF(canvas.plot.left() + 5, level.y - size.height() - 1), size),
      below(QPointF(canvas.plot.left() + 5, level.y + 2), size);
  const QRectF& box = over ? above : below;
  const double way = canvas.plot.right() - 4 - box.right();
  if (level.beyond != 0) return box.translated(way, 0);
  const Place preferred = freest(box, way, marks);
  if (preferred.covered == 0 || !fits_above || !fits_below) return preferred.box;
  const Place other = freest(over ? below : above, way, marks);
  return other.covered < preferred.covered ? other.box : preferred.box;
}

}  // namespace

QRectF level_label_box(const FrontierCanvas& canvas, const FrontierLevel& level, const QSizeF& size) {
  return level_label_box(canvas, level, size, marks_of(canvas));
}

namespace {

std::pair<QString, QRectF> level_label(const FrontierCanvas& canvas, const FrontierLevel& level,
                                       const QFontMetricsF& letters, const std::vector<Mark>& marks,
                                       const std::vector<Mark>& drawn) {
  const auto box_of = [&](const QString& text) {
    return level_label_box(canvas, level, {letters.horizontalAdvance(text) + 6, letters.height() + 1}, marks);
  };
  const auto covers_a_point = [&](const QRectF& box) {
    return std::ranges::any_of(drawn, [&](const Mark& mark) { return covers(mark, box); });
  };
  const QString whole = label(level);
  const QRectF box = box_of(whole);
  if (level.beyond == 0 && covers_a_point(box))
    if (const QRectF shorter = box_of(level.name); !covers_a_point(shorter)) return {level.name, shorter};
  return {whole, box};
}

}  // namespace

std::pair<QString, QRectF> level_label(const FrontierCanvas& canvas, const FrontierLevel& level,
                                       const QFontMetricsF& letters) {
  return level_label(canvas, level, letters, marks_of(canvas), drawn_marks(canvas));
}

double paint_levels(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels) {
  const QFontMetricsF metrics(painter.font());
  double free_from = canvas.plot.top();
  const std::vector<Mark> marks = marks_of(canvas), drawn = drawn_marks(canvas);  // once for all levels
  for (const FrontierLevel& level : frontier_levels(canvas)) {
    if (level.beyond == 0) {
      QPen pen(canvas.theme.muted, 1);
      pen.setDashPattern(level.dashes);
      painter.setPen(pen);
      painter.drawLine(QPointF(canvas.plot.left(), level.y), QPointF(canvas.plot.right(), level.y));
      labels.block(QRectF(canvas.plot.left(), level.y - 1, canvas.plot.width(), 2));
    }
    const auto [text, box] = level_label(canvas, level, metrics, marks, drawn);
    if (box.width() > canvas.plot.width() * 0.4) continue;  // large text: the tip shows it
    painter.setPen(canvas.theme.muted);
    painter.drawText(box, Qt::AlignCenter, text);
    labels.block(box);
    if (level.beyond == 0 && box.top() < canvas.plot.top() + 2 * box.height())
      free_from = std::max(free_from, box.bottom());
  }
  return free_from;
}

QString level_tip(const FrontierCanvas& canvas, const QPointF& at) {
  for (const FrontierLevel& level : frontier_levels(canvas))
    if (canvas.plot.contains(at) && std::abs(at.y() - level.y) <= 5)
      return FrontierLevelsText::tr("%1: quality %2").arg(level.name, quality_text(level.quality)) + '\n' + level.what +
             (level.beyond == 0  ? QString()
              : level.beyond > 0 ? '\n' + FrontierLevelsText::tr("Above the visible range")
                                 : '\n' + FrontierLevelsText::tr("Below the visible range"));
  return {};
}

}  // namespace kvantage
