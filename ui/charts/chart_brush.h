// Selects the contexts that a chart's points are of, or the requests of a part of its axis, by a box: Ctrl+Shift and
// drag, or a plain drag while "Select points" of the chart's menu is on. By keyboard: Space adds the point that the
// keys are at, or removes it. Shift and drag zooms, see chart_zoom.h.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <set>
#include <utility>

#include "ui/widgets/point_keys.h"

class QAction;
class QMouseEvent;
class QRubberBand;

namespace kvantage {

class Selection;

class ChartBrush : public QObject {
  Q_OBJECT
 public:
  /// `owner` has the keyboard and the menu, `canvas` the mouse; they may be one widget. `name`: of the chart. `rows`:
  /// its points, whose ids name what they are; those without an id are not selected. All outlive this.
  ChartBrush(QWidget& owner, QWidget& canvas, const QString& name, PointKeys& keys,
             std::function<PointKeys::Rows()> rows);
  /// While it is on, a plain drag selects.
  QAction& select_action() const { return *select_; }
  /// What a box of the canvas selects, instead of the points in it.
  void take_boxes(std::function<std::set<QString>(const QRectF& box)> ids_in) { ids_in_ = std::move(ids_in); }
  /// Of the points whose mark has its middle in a box of the canvas.
  std::set<QString> within(const QRectF& box) const;
  /// What is selected, by whichever view: the next keys add to it, and paint() rings it.
  void show(const std::set<QString>& ids);
  const std::set<QString>& shown() const { return shown_; }
  void paint(QPainter& painter, const Theme& theme) const;

 signals:
  /// The user selects these instead of what was selected; none: nothing was in the box.
  void brushed(const std::set<QString>& ids);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool pressed(const QMouseEvent& event);
  bool dragged(const QMouseEvent& event);
  bool released(const QMouseEvent& event);
  bool toggle_at_keys();

  QWidget &owner_, &canvas_;
  PointKeys& keys_;
  std::function<PointKeys::Rows()> rows_;
  std::function<std::set<QString>(const QRectF&)> ids_in_;
  QAction* select_;
  QPointer<QRubberBand> band_;
  std::set<QString> shown_;
  QPointF from_;
  bool armed_ = false, own_press_ = false;  // a drag would select; the press was for this alone
};

/// What is brushed is chosen in all views, and what is chosen in another one is marked. `selection` outlives the brush.
void share_contexts(ChartBrush& brush, Selection& selection);
/// The same for a brush whose ids are numbers of requests.
void share_requests(ChartBrush& brush, Selection& selection);

}  // namespace kvantage
