// How a forest plot is drawn in the cells of a table and in the header above them. Significant differences are filled
// triangles in color, others are not filled; nothing is told by color alone.
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <cstdint>
#include <vector>

#include "ui/look/theme.h"
#include "ui/runs/compare/model/forest_model.h"
#include "ui/widgets/legend_strip.h"

namespace kvantage {

enum class ForestShape : std::uint8_t { triangle_up, triangle_down, ring, cross };

struct ForestLook {
  ForestShape shape = ForestShape::cross;
  bool filled = false;
  QColor color;  // where one run is shown; of several, each has the color of its policy
};
ForestLook forest_look(Judgment judgment, const Theme& theme);
/// What the shapes say, in the colors of one run.
std::vector<LegendItem> forest_legend(const Theme& theme);

/// The horizontal axis of a cell: differences as shares, -limit at the left.
struct ForestAxis {
  double left = 0, right = 1, limit = 1;
  /// Of values beyond the limits, the end.
  double at(double value) const;
  bool holds(double value) const { return value >= -limit && value <= limit; }
};
ForestAxis forest_axis(const QRectF& cell, double limit);

/// The zero line, the ticks and the marks of a row.
void draw_forest_row(QPainter& painter, const QRectF& cell, const ForestModel& model, int row, const Theme& theme);
/// The labels of the ticks, at the bottom of the header.
void draw_forest_ticks(QPainter& painter, const QRectF& header, const ForestModel& model, const Theme& theme);

}  // namespace kvantage
