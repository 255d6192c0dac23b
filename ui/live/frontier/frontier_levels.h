// The two levels beside which quality is read on the Frontier: dashed lines over the whole width, or a word at the edge
// they are beyond.
#pragma once

#include <QPainter>
#include <vector>

#include "ui/charts/label_placer.h"
#include "ui/live/frontier/frontier_canvas.h"

namespace kvantage {

struct FrontierLevel {
  QString name;  // "uncompressed"
  QString what;  // a sentence for the tooltip
  double quality = 0;
  double y = 0;    // chart coordinate, within the plot
  int beyond = 0;  // -1: below the plot, 1: above it
  QList<qreal> dashes;
};

std::vector<FrontierLevel> frontier_levels(const FrontierCanvas& canvas);
/// Where the direction of improvement is named: the upper left corner from `top` down, or the first place to the right
/// of it that no mark covers.
QRectF corner_label_box(const FrontierCanvas& canvas, double top, const QSizeF& size);
/// Where a level is named: along its line, at the first place that covers the fewest marks and curves.
QRectF level_label_box(const FrontierCanvas& canvas, const FrontierLevel& level, const QSizeF& size);
/// What names a level, and where: with its number, or, where that would cover a point and the name alone does not,
/// without.
std::pair<QString, QRectF> level_label(const FrontierCanvas& canvas, const FrontierLevel& level,
                                       const QFontMetricsF& letters);
/// Every few pixels of a curve, for labels that must not cover it.
std::vector<QPointF> points_along(const FrontierCanvas& canvas, const FrontierCurve& curve);
/// Returns below which y the upper left corner is free.
double paint_levels(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels);
/// Of the level under the mouse; empty where there is none.
QString level_tip(const FrontierCanvas& canvas, const QPointF& at);

}  // namespace kvantage
