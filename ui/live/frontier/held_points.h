// Points of other runs on the Frontier: pinned ones, and faintly the ghosts of earlier runs of this window. Each run
// has a color of its own and a ring around its marks; the marks of its segments are joined in order.
#pragma once

#include <QPainter>
#include <optional>
#include <vector>

#include "ui/charts/label_placer.h"
#include "ui/live/frontier/frontier_canvas.h"

namespace kvantage {

/// Of runs that are shown, with a place on the chart.
struct HeldPlace {
  const HeldRun* run = nullptr;
  const MeasuredPoint* point = nullptr;
  QPointF at;
};
std::vector<HeldPlace> held_places(const FrontierCanvas& canvas);
/// The topmost within reach.
std::optional<HeldPlace> held_at(const FrontierCanvas& canvas, const QPointF& at);
/// The run's name, then what is shown of any measured point.
QString held_tip(const HeldRun& run, const MeasuredPoint& point);

/// Lines and marks; labels leave them free.
void paint_held(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels);
/// The name of each run beside its last mark.
void name_held(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels);

}  // namespace kvantage
