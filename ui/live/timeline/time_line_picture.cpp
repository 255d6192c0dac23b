#include "ui/live/timeline/time_line_picture.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ui/charts/label_placer.h"
#include "ui/charts/ticks.h"

namespace kvantage {
namespace {

constexpr std::size_t max_strip_labels = 40;

/// Who gets a label first where not all have room.
int strip_label_rank(RunMark::Kind kind) {
  switch (kind) {
    case RunMark::policy:
      return 0;
    case RunMark::setting:
      return 1;
    case RunMark::drift:
      return 2;
    case RunMark::profile:
      return 3;
    case RunMark::fault:
      return 4;
    default:
      return 5;
  }
}

}  // namespace

QColor annotation_color(RunMark::Kind kind, const Theme& theme) {
  switch (kind) {
    case RunMark::setting:
    case RunMark::policy:
      return theme.accent;
    case RunMark::drift:
      return theme.warning;
    case RunMark::profile:
      return theme.good;
    case RunMark::fault:
      return theme.error;
    default:
      return theme.muted;
  }
}

void draw_annotation_mark(QPainter& painter, const QPointF& at, RunMark::Kind kind, const Theme& theme, double size) {
  const QColor color = annotation_color(kind, theme);
  painter.setPen(QPen(theme.base, 1));
  painter.setBrush(color);
  switch (kind) {
    case RunMark::setting:  // a triangle that points at its time
      painter.drawPolygon(QPolygonF{at + QPointF(-size, -size), at + QPointF(size, -size), at + QPointF(0, size)});
      break;
    case RunMark::policy:
      painter.drawRect(QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size));
      break;
    case RunMark::drift:
      painter.drawPolygon(
          QPolygonF{at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size), at + QPointF(-size, 0)});
      break;
    case RunMark::profile:
      painter.drawEllipse(at, size, size);
      break;
    case RunMark::fault:
      painter.setPen(QPen(color, 2));
      painter.drawLine(at + QPointF(-size, -size), at + QPointF(size, size));
      painter.drawLine(at + QPointF(-size, size), at + QPointF(size, -size));
      break;
    default:  // start, pause, end: a bar
      painter.drawRect(QRectF(at.x() - size / 3, at.y() - size, size * 2 / 3, 2 * size));
  }
}

TimeLineRows::TimeLineRows(const QFont& font) : line(std::ceil(QFontMetricsF(font).height()) + 2) {}

QRectF TimeLineRows::detail(const QSizeF& size) const {
  return {side, top, std::max(1.0, size.width() - 2 * side), line + marks};
}

QRectF TimeLineRows::overview_area(const QSizeF& size) const {
  return {side, size.height() - overview - 2, std::max(1.0, size.width() - 2 * side), overview};
}

double TimeLinePicture::x(double seconds) const {
  return detail.left() + detail.width() * (seconds - shown.lower) / std::max(shown.upper - shown.lower, 1e-9);
}

double TimeLinePicture::overview_x(double seconds) const {
  return overview.left() + overview.width() * seconds / std::max(extent, 1e-9);
}

double TimeLinePicture::detail_seconds(double x) const {
  return shown.lower + (x - detail.left()) / detail.width() * (shown.upper - shown.lower);
}

double TimeLinePicture::overview_seconds(double x) const {
  return std::clamp((x - overview.left()) / overview.width(), 0.0, 1.0) * extent;
}

QRectF TimeLinePicture::brush() const {
  const double left = overview_x(begin), right = overview_x(end);
  return {left, overview.top(), std::max(2.0, right - left), overview.height()};
}

QRectF TimeLinePicture::mark_box(const TimeAnnotation& annotation) const {
  constexpr double size = TimeLineRows::marks;
  return {x(annotation.seconds) - size / 2, detail.bottom() - size, size, size};
}

std::vector<TimeLineLabel> TimeLinePicture::paint(QPainter& painter, const Theme& theme) const {
  paint_marks(painter, theme);
  std::vector<TimeLineLabel> labels = paint_labels(painter, theme);
  paint_times(painter, theme);
  paint_overview(painter, theme);
  return labels;
}

void TimeLinePicture::paint_marks(QPainter& painter, const Theme& theme) const {
  const double x_now = x(now);
  painter.save();
  painter.setClipRect(detail.adjusted(-6, 0, 6, 1));
  if (x_now < detail.right())  // what has not happened yet
    painter.fillRect(QRectF(QPointF(std::max(detail.left(), x_now), detail.top()), detail.bottomRight()),
                     theme.alternate);
  painter.setPen(QPen(theme.border, 1));
  painter.drawLine(detail.bottomLeft(), detail.bottomRight());
  std::set<std::pair<int, int>> painted;  // where many crowd, one of each kind and pixel is enough
  for (const TimeAnnotation& each : annotations) {
    const QRectF box = mark_box(each);
    if (box.right() < detail.left() || box.left() > detail.right()) continue;
    if (!painted.emplace(static_cast<int>(box.center().x()), static_cast<int>(each.mark.kind)).second) continue;
    draw_annotation_mark(painter, box.center(), each.mark.kind, theme);
  }
  if (replayed) {
    painter.setPen(QPen(theme.accent, 2));
    painter.drawLine(QPointF(x_now, detail.top()), QPointF(x_now, detail.bottom()));
  }
  painter.restore();
}

std::vector<TimeLineLabel> TimeLinePicture::paint_labels(QPainter& painter, const Theme& theme) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < annotations.size(); ++i)
    if (annotations[i].seconds >= shown.lower && annotations[i].seconds <= shown.upper) order.push_back(i);
  // By rank, of one rank the newest first.
  std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
    const int first = strip_label_rank(annotations[a].mark.kind), second = strip_label_rank(annotations[b].mark.kind);
    return first != second ? first < second : a > b;
  });
  if (order.size() > max_strip_labels) order.resize(max_strip_labels);
  const double line = detail.height() - TimeLineRows::marks;
  LabelPlacer placer(QRectF(detail.left(), detail.top(), detail.width(), line));
  std::vector<TimeLineLabel> labels;
  labels.reserve(order.size());
  for (const std::size_t i : order) {
    const QPointF at(x(annotations[i].seconds), detail.top() + line / 2);
    // Its stem would cross another label.
    if (std::ranges::any_of(placer.labels(), [&](const QRectF& label) { return label.contains(at); })) continue;
    if (!placer.draw(painter, at, annotations[i].label(), theme.text, theme.base, 4)) continue;
    labels.push_back({i, placer.labels().back()});
    painter.setPen(QPen(annotation_color(annotations[i].mark.kind, theme), 1));
    painter.drawLine(QPointF(at.x(), detail.top()), QPointF(at.x(), detail.bottom() - 9));
    placer.block(QRectF(at.x() - 1, detail.top(), 2, line));
  }
  return labels;
}

void TimeLinePicture::paint_times(QPainter& painter, const Theme& theme) const {
  const QFontMetrics letters = painter.fontMetrics();
  const auto ticks = linear_ticks(shown.lower, shown.upper, std::clamp(static_cast<int>(detail.width() / 80), 2, 10));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : shown.upper;
  const bool minutes = shown.upper > 600 && shown.upper - shown.lower > 120;
  const int digits = static_cast<int>(std::ceil(std::log10(std::max(10.0, shown.upper / std::max(step, 1e-9))))) + 2;
  painter.setPen(theme.muted);
  for (const double tick : ticks) {
    const QString text = minutes ? QString::number(tick / 60, 'g', std::max(3, digits)) + QStringLiteral(" min")
                                 : QString::number(tick, 'g', std::max(4, digits)) + QStringLiteral(" s");
    const double at = x(tick), wide = letters.horizontalAdvance(text) + 2.0;
    const double last_left = std::max(0.0, detail.right() + TimeLineRows::side - wide);
    painter.drawLine(QPointF(at, detail.bottom()), QPointF(at, detail.bottom() + 2));
    painter.drawText(QRectF(std::clamp(at - wide / 2, 0.0, last_left), detail.bottom() + 1, wide, letters.height()),
                     Qt::AlignCenter, text);
  }
}

void TimeLinePicture::paint_overview(QPainter& painter, const Theme& theme) const {
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(overview, theme.alternate);
  const double x_now = std::clamp(overview_x(now), overview.left(), overview.right());
  painter.fillRect(QRectF(overview.topLeft(), QPointF(x_now, overview.bottom())), theme.grid);
  int last = -1;
  for (const TimeAnnotation& each : annotations) {
    const int column = static_cast<int>(overview_x(each.seconds));
    if (column == last) continue;
    last = column;
    painter.setPen(annotation_color(each.mark.kind, theme));
    painter.drawLine(QPointF(column, overview.top() + 2), QPointF(column, overview.bottom() - 2));
  }
  QColor fill = theme.accent;
  fill.setAlphaF(0.18F);
  painter.fillRect(brush(), fill);
  painter.setPen(QPen(theme.accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(brush().adjusted(0, 0, -1, -1));
  painter.setRenderHint(QPainter::Antialiasing);
}

}  // namespace kvantage
