#include "ui/live/frontier/held_points.h"

#include <QCoreApplication>
#include <QLineF>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_panel.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/look/provenance_look.h"

namespace kvantage {
namespace {

struct HeldPointsText {
  Q_DECLARE_TR_FUNCTIONS(HeldPointsText)
};

constexpr double held_ring = 7;  // radius, pixels

QColor held_color(const FrontierCanvas& canvas, const HeldRun& run) {
  QColor color = canvas.theme.run(static_cast<std::size_t>(std::max(0, run.color)));
  if (run.ghost) color.setAlphaF(0.35f);
  return color;
}

/// Of the ring around its marks and of the line that joins them.
QPen held_pen(const FrontierCanvas& canvas, const HeldRun& run, double width) {
  return curve_pen(held_color(canvas, run), width, run_dashes(static_cast<std::size_t>(std::max(0, run.color))));
}

/// As much of it as is within the plot.
void draw_held_bar(QPainter& painter, const FrontierCanvas& canvas, const FrontierMean& from, const FrontierMean& to) {
  const auto begin = canvas.position(from), end = canvas.position(to);
  if (!begin || !end) return;
  painter.save();
  painter.setClipRect(canvas.plot, Qt::IntersectClip);
  painter.drawLine(*begin, *end);
  painter.restore();
}

void draw_held_bars(QPainter& painter, const FrontierCanvas& canvas, const MeasuredPoint& point) {
  if (point.quality.has_interval)
    draw_held_bar(painter, canvas, {point.quality.low, point.ttft.mean}, {point.quality.high, point.ttft.mean});
  const double floor = point.ttft.mean / 50;  // an interval that reaches below zero leaves the log axis
  if (point.ttft.has_interval)
    draw_held_bar(painter, canvas, {point.quality.mean, std::max(point.ttft.low, floor)},
                  {point.quality.mean, point.ttft.high});
}

}  // namespace

std::vector<HeldPlace> held_places(const FrontierCanvas& canvas) {
  std::vector<HeldPlace> places;
  if (canvas.held == nullptr) return places;
  for (const HeldRun& run : *canvas.held) {
    if (!run.shown) continue;
    for (const MeasuredPoint& point : run.points)
      if (const auto at = canvas.position({point.quality.mean, point.ttft.mean})) places.push_back({&run, &point, *at});
  }
  return places;
}

std::optional<HeldPlace> held_at(const FrontierCanvas& canvas, const QPointF& at) {
  constexpr double reach = 11;
  const std::vector<HeldPlace> places = held_places(canvas);
  for (auto place = places.rbegin(); place != places.rend(); ++place)
    if (std::hypot(place->at.x() - at.x(), place->at.y() - at.y()) <= reach) return *place;
  return std::nullopt;
}

QString held_tip(const HeldRun& run, const MeasuredPoint& point) {
  MeasuredPoint shown = point;
  shown.run = run.id;
  const QString tip = HeldPointsText::tr("%1: %2").arg(run.name, measured_tip(shown));
  return run.ghost ? tip + '\n' + HeldPointsText::tr("Earlier run of this window") : tip;
}

void paint_held(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels) {
  const std::vector<HeldPlace> places = held_places(canvas);
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].run != places[i - 1].run) continue;
    painter.setPen(held_pen(canvas, *places[i].run, 1));
    painter.drawLine(places[i - 1].at, places[i].at);
  }
  for (const HeldPlace& place : places) {
    const QColor color = held_color(canvas, *place.run);
    const MeasuredPoint& point = *place.point;
    painter.setPen(curve_pen(color, 1.1));
    if (!place.run->ghost) draw_held_bars(painter, canvas, point);
    draw_marker(painter, place.at,
                point.simulated   ? MarkerLook::simulated
                : point.throttled ? MarkerLook::throttled
                                  : MarkerLook::measured,
                color, canvas.theme.base, 4, true, policy_strokes(point.policy));
    painter.setPen(held_pen(canvas, *place.run, 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(place.at, held_ring, held_ring);
    const double half = held_ring + 1;
    labels.block(QRectF(place.at.x() - half, place.at.y() - half, 2 * half, 2 * half));
  }
}

void name_held(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels) {
  const std::vector<HeldPlace> places = held_places(canvas);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const HeldRun& run = *places[i].run;
    if (i + 1 < places.size() && places[i + 1].run == &run) continue;
    labels.draw(painter, places[i].at, run.name,
                run.ghost ? canvas.theme.muted : canvas.theme.run(static_cast<std::size_t>(std::max(0, run.color))),
                canvas.theme.base, 11);
  }
}

}  // namespace kvantage
