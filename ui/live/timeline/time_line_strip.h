// The run along time: annotations of the visible part with labels that do not overlap, the time below, and at the
// bottom the whole run with a brush around what is visible. Dragging the brush moves all time charts.
#pragma once

#include <QPointer>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/chart_zoom.h"
#include "ui/charts/linked_range.h"
#include "ui/live/timeline/time_line_picture.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class TimeLineStrip : public QWidget, public Themed, private Zoomable {
  Q_OBJECT
 public:
  /// `cursor`: of the window's time charts, with the range that they show. Both outlive this.
  TimeLineStrip(TimeLineModel& model, TimeCursor& cursor, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// Shows another model; it outlives this, or until the next one.
  void set_model(TimeLineModel& model);
  const TimeLineModel& model() const { return *model_; }
  /// Of a replay: where it is; nothing: a live run, which is at the model's now().
  void set_moment(std::optional<double> seconds);
  ChartTable table() const;
  PointKeys& keys() const { return *keys_; }
  ChartZoom& zoom() const { return *zoom_; }
  /// Its ids are contexts: those of the annotations in the box.
  ChartBrush& brush() const { return *brush_; }
  /// As it is now.
  TimeLinePicture picture() const;
  /// As painted last.
  const std::vector<TimeLineLabel>& labels() const { return labels_; }
  /// What is said of a place: all annotations there, a line each; empty: none.
  QString tip_at(const QPointF& at) const;
  QSize sizeHint() const override { return {400, minimumSizeHint().height()}; }
  QSize minimumSizeHint() const override;

 signals:
  /// A click, or Enter, on an annotation of the model.
  void chosen(std::size_t annotation);
  /// A click on a time without one.
  void timePicked(double seconds);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Drag { none, begin, end, move };
  QFont small_font() const;
  std::optional<std::size_t> annotation_at(const QPointF& at) const;
  PointKeys::Rows key_rows() const;
  AxisRanges data_ranges() const override;
  void show_ranges(const AxisRanges& shown) override;
  QRectF zoom_area() const override { return picture().detail; }
  AxisChoice zoom_axes() const override { return {true, false}; }

  TimeLineModel* model_;
  QPointer<TimeRange> range_;  // null while the window is taken apart
  Theme theme_;
  AxisSpan shown_;
  std::optional<double> moment_;
  std::vector<TimeLineLabel> labels_;
  LazyRefresh* lazy_;
  PointKeys* keys_;
  ChartZoom* zoom_;
  ChartBrush* brush_;
  LinkedCursor* linked_;
  Drag drag_ = Drag::none;
  double drag_from_ = 0;  // s, on the overview
};

}  // namespace kvantage
