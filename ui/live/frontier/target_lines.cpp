#include "ui/live/frontier/target_lines.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QToolTip>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/text/words.h"

namespace kvantage {
namespace {

struct TargetLinesText {
  Q_DECLARE_TR_FUNCTIONS(TargetLinesText)
};

constexpr double grip_half = 7, line_reach = 5;  // pixels

QRectF grip_around(const QPointF& at) { return {at.x() - grip_half, at.y() - grip_half, 2 * grip_half, 2 * grip_half}; }

double rounded_to_three_digits(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

/// Points to where the target is met: up, or to the left.
QPolygonF grip_shape(const TargetLine& line) {
  const QPointF middle = line.grip.center();
  constexpr double half = 5;
  if (line.axis == TargetAxis::quality)
    return QPolygonF{middle + QPointF(0, -half), middle + QPointF(half, half), middle + QPointF(-half, half)};
  return QPolygonF{middle + QPointF(-half, 0), middle + QPointF(half, -half), middle + QPointF(half, half)};
}

QString line_name(const PlanTarget& target, TargetAxis axis) {
  return axis == TargetAxis::quality ? target_text({target.quality, {}}) : target_text({{}, target.ttft_seconds});
}

void name_target(QPainter& painter, const FrontierCanvas& canvas, const TargetLine& line, LabelPlacer& labels) {
  const QString name = line_name(*canvas.target, line.axis);
  const QFontMetricsF letters(painter.font());
  const QSizeF size(letters.horizontalAdvance(name) + 6, letters.height() + 1);
  const QRectF plot = canvas.plot;
  QRectF box;
  if (line.axis == TargetAxis::quality) {  // at its right end, on the side where there is room
    const double y = line.line->y1();
    const bool above = y - size.height() - 2 >= plot.top();
    box = QRectF(QPointF(plot.right() - grip_half - 2 - size.width(), above ? y - size.height() - 1 : y + 2), size);
  } else {
    const double x = line.line->x1();
    const bool left = x - size.width() - 3 >= plot.left();
    box = QRectF(QPointF(left ? x - size.width() - 2 : x + 3, plot.top() + grip_half + 2), size);
  }
  QColor veil = canvas.theme.base;
  veil.setAlphaF(0.78f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(veil);
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(canvas.theme.accent);
  painter.drawText(box, Qt::AlignCenter, name);
  labels.block(box);
}

}  // namespace

std::vector<TargetLine> target_lines(const FrontierCanvas& canvas) {
  std::vector<TargetLine> lines;
  if (canvas.target == nullptr || canvas.plot.isEmpty()) return lines;
  const QRectF plot = canvas.plot;
  TargetLine quality{TargetAxis::quality, grip_around(plot.bottomRight()), std::nullopt};
  if (canvas.target->quality)
    if (const auto at = canvas.position({*canvas.target->quality, 1})) {  // a line of no time
      const double y = std::clamp(at->y(), plot.top(), plot.bottom());
      quality.grip = grip_around({plot.right(), y});
      if (y == at->y()) quality.line = QLineF(plot.left(), y, plot.right(), y);
    }
  if (canvas.target->ttft_of == TargetTtft::p95) return {quality};
  TargetLine ttft{TargetAxis::ttft, grip_around(plot.topRight()), std::nullopt};
  if (canvas.target->ttft_seconds)
    if (const auto at = canvas.position({0, *canvas.target->ttft_seconds})) {
      const double x = std::clamp(at->x(), plot.left(), plot.right());
      ttft.grip = grip_around({x, plot.top()});
      if (x == at->x()) ttft.line = QLineF(x, plot.top(), x, plot.bottom());
    }
  return {quality, ttft};
}

std::optional<TargetAxis> target_axis_at(const FrontierCanvas& canvas, const QPointF& at) {
  const std::vector<TargetLine> lines = target_lines(canvas);
  for (const TargetLine& line : lines)
    if (line.grip.contains(at)) return line.axis;
  for (const TargetLine& line : lines) {
    if (!line.line || !canvas.plot.contains(at)) continue;
    const double away = line.axis == TargetAxis::quality ? at.y() - line.line->y1() : at.x() - line.line->x1();
    if (std::abs(away) <= line_reach) return line.axis;
  }
  return std::nullopt;
}

PlanTarget dragged_target(const FrontierCanvas& canvas, TargetAxis axis, const QPointF& at, const FrontierMean& mean) {
  PlanTarget target = canvas.target != nullptr ? *canvas.target : PlanTarget{};
  constexpr double beyond = 24;  // pixels
  const bool out = !canvas.plot.adjusted(-beyond, -beyond, beyond, beyond).contains(at);
  if (axis == TargetAxis::quality) {
    target.quality.reset();
    if (!out && at.y() < canvas.plot.bottom())
      target.quality = std::clamp(std::round(mean.quality * 1000) / 1000, 0.0, 1.0);
  } else {
    target.ttft_seconds.reset();
    if (!out && at.x() < canvas.plot.right()) target.ttft_seconds = rounded_to_three_digits(mean.ttft_seconds);
  }
  return target;
}

QString target_tip(const FrontierCanvas& canvas, const QPointF& at) {
  const auto axis = target_axis_at(canvas, at);
  if (!axis) return {};
  const QString name = line_name(*canvas.target, *axis);
  if (!name.isEmpty())
    return TargetLinesText::tr("Target: %1\nDrag to move it, out of the chart to clear it").arg(name);
  return *axis == TargetAxis::quality ? TargetLinesText::tr("Drag up to set the quality to reach")
                                      : TargetLinesText::tr("Drag to the left to set the mean TTFT to keep");
}

void paint_targets(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels) {
  const Theme& theme = canvas.theme;
  const QRectF plot = canvas.plot;
  QColor shade = theme.text;
  shade.setAlphaF(0.06f);
  for (const TargetLine& line : target_lines(canvas)) {
    if (line.line) {
      const bool flat = line.axis == TargetAxis::quality;
      painter.fillRect(flat ? QRectF(QPointF(plot.left(), line.line->y1()), plot.bottomRight())
                            : QRectF(QPointF(line.line->x1(), plot.top()), plot.bottomRight()),
                       shade);
      painter.setPen(QPen(theme.accent, 1.2));
      painter.drawLine(*line.line);
      labels.block(QRectF(line.line->p1(), line.line->p2()).adjusted(-1, -1, 1, 1));
      name_target(painter, canvas, line, labels);
    }
    const bool set =
        line.axis == TargetAxis::quality ? canvas.target->quality.has_value() : canvas.target->ttft_seconds.has_value();
    painter.setPen(QPen(set ? theme.accent : theme.muted, 1.2));
    painter.setBrush(set ? theme.accent : theme.base);
    painter.drawPolygon(grip_shape(line));
    labels.block(line.grip);
  }
  if (canvas.target == nullptr || !canvas.solution) return;
  const auto at = canvas.position(*canvas.solution);
  if (!at || !plot.contains(*at)) return;
  constexpr double half = 6;
  painter.setPen(QPen(theme.accent, 1.8));
  painter.setBrush(theme.base);
  painter.drawPolygon(
      QPolygonF{*at + QPointF(0, -half), *at + QPointF(half, 0), *at + QPointF(0, half), *at + QPointF(-half, 0)});
  labels.block(QRectF(at->x() - half - 1, at->y() - half - 1, 2 * half + 2, 2 * half + 2));
  labels.draw(painter, *at, TargetLinesText::tr("cheapest plan"), theme.accent, theme.base);
}

TargetDrag::TargetDrag(QWidget& canvas, FrontierTargets& targets, Chart chart, QObject* parent)
    : QObject(parent), canvas_(canvas), targets_(targets), chart_(std::move(chart)) {
  canvas_.installEventFilter(this);
}

bool TargetDrag::pressed(const QMouseEvent& event) {
  if (event.button() != Qt::LeftButton || event.modifiers() != Qt::NoModifier) return false;
  const FrontierCanvas now = chart_.canvas();
  const auto axis = target_axis_at(now, event.position());
  if (!axis) return false;
  const std::vector<TargetLine> lines = target_lines(now);
  const bool grip =
      std::ranges::any_of(lines, [&](const TargetLine& line) { return line.grip.contains(event.position()); });
  if (!grip && chart_.has_point(event.position())) return false;
  dragged_ = axis;
  QToolTip::hideText();
  return true;
}

bool TargetDrag::moved(const QMouseEvent& event) {
  if (dragged_) {
    targets_.set_target(dragged_target(chart_.canvas(), *dragged_, event.position(), chart_.mean_at(event.position())));
    return true;
  }
  if (event.buttons() == Qt::NoButton) show_cursor(target_axis_at(chart_.canvas(), event.position()));
  return false;
}

void TargetDrag::show_cursor(std::optional<TargetAxis> axis) {
  if (axis == hovered_) return;
  hovered_ = axis;
  if (!axis)
    canvas_.unsetCursor();
  else
    canvas_.setCursor(*axis == TargetAxis::quality ? Qt::SizeVerCursor : Qt::SizeHorCursor);
}

bool TargetDrag::eventFilter(QObject* watched, QEvent* event) {
  bool taken = false;
  if (event->type() == QEvent::MouseButtonPress) {
    taken = pressed(static_cast<const QMouseEvent&>(*event));
  } else if (event->type() == QEvent::MouseMove) {
    taken = moved(static_cast<const QMouseEvent&>(*event));
  } else if (event->type() == QEvent::MouseButtonRelease && dragged_) {
    dragged_.reset();
    taken = true;
  } else if (event->type() == QEvent::MouseButtonDblClick && dragged_) {
    taken = true;
  }
  if (!taken) return QObject::eventFilter(watched, event);
  event->accept();
  return true;
}

}  // namespace kvantage
