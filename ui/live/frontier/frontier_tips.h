// What is under the mouse on the Frontier: the whole setting with its predicted and measured metrics.
#pragma once

#include "ui/live/frontier/frontier_canvas.h"

namespace kvantage {

/// What is shown of each kind of point.
QString measured_tip(const MeasuredPoint& point);
QString present_tip(const FrontierCanvas& canvas, const FrontierMean& present);
QString simulated_tip(const FrontierModel& model, const SimulatedPoint& point);
QString sample_tip(const FrontierModel& model, const QString& policy, const FrontierSample& sample);
/// Empty where there is nothing.
QString frontier_tip(const FrontierCanvas& canvas, const QPointF& at);
/// Where the chosen context is marked: at its place, or at the edge of the plot nearest to it (`outside`).
struct ChosenMark {
  QPointF at;
  bool outside = false;
};
std::optional<ChosenMark> chosen_mark(const FrontierCanvas& canvas);
/// The newest measured point there, or null.
const MeasuredPoint* measured_at(const FrontierCanvas& canvas, const QPointF& at);
/// The alpha of the present policy's curve there.
std::optional<double> alpha_at(const FrontierCanvas& canvas, const QPointF& at);

}  // namespace kvantage
