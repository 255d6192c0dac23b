// The lines of the Frontier's targets: a quality to reach and a mean TTFT to keep, each with a grip at the edge of the
// plot that the mouse drags. A p95 has none: the axis is of means. A target that is not set has its grip where it would
// limit nothing, in the corner of the worst value; a grip that is dragged back there, or out of the plot, takes the
// target away.
#pragma once

#include <QLineF>
#include <QObject>
#include <QPainter>
#include <functional>
#include <optional>

#include "ui/charts/label_placer.h"
#include "ui/live/frontier/frontier_canvas.h"
#include "ui/live/frontier/model/frontier_targets.h"

class QMouseEvent;
class QWidget;

namespace kvantage {

enum class TargetAxis { quality, ttft };

struct TargetLine {
  TargetAxis axis = TargetAxis::quality;
  QRectF grip;                 // in chart coordinates
  std::optional<QLineF> line;  // nothing: no target, or out of the visible range
};

/// The quality's, then that of a mean TTFT; none where the chart shows no targets.
std::vector<TargetLine> target_lines(const FrontierCanvas& canvas);
/// What a press there would drag: a grip, or a line.
std::optional<TargetAxis> target_axis_at(const FrontierCanvas& canvas, const QPointF& at);
/// The target after its line went to `at`, where `mean` is: three digits that count, nothing beyond the plot.
PlanTarget dragged_target(const FrontierCanvas& canvas, TargetAxis axis, const QPointF& at, const FrontierMean& mean);
/// Of the line or grip under the mouse; empty: there is none.
QString target_tip(const FrontierCanvas& canvas, const QPointF& at);
/// Lines, what they exclude, their names, and the mark of the cheapest plan.
void paint_targets(QPainter& painter, const FrontierCanvas& canvas, LabelPlacer& labels);

/// The mouse on them. Filters the events of the chart's canvas.
class TargetDrag : public QObject {
  Q_OBJECT
 public:
  struct Chart {
    std::function<FrontierCanvas()> canvas;
    std::function<FrontierMean(const QPointF&)> mean_at;
    std::function<bool(const QPointF&)> has_point;  // that a press there means instead of a line
  };
  TargetDrag(QWidget& canvas, FrontierTargets& targets, Chart chart, QObject* parent);
  bool dragging() const { return dragged_.has_value(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool pressed(const QMouseEvent& event);
  bool moved(const QMouseEvent& event);
  void show_cursor(std::optional<TargetAxis> axis);

  QWidget& canvas_;
  FrontierTargets& targets_;
  Chart chart_;
  std::optional<TargetAxis> dragged_, hovered_;
};

}  // namespace kvantage
