// Zoom and pan of a chart by mouse and keyboard. The wheel zooms about the mouse (Shift: x only, Ctrl: y only; beside
// an axis: that axis only), Shift and drag zooms to a box, the middle button or Ctrl and drag pans, a double-click
// resets. Keys: + and - zoom, 0 resets, Ctrl and arrows pan. An axis of places shows whole ones. Where the page around
// a chart, or the chart itself, scrolls, the wheel without a modifier scrolls it.
#pragma once

#include <QObject>
#include <QPointer>
#include <QRectF>
#include <QString>
#include <optional>
#include <utility>

#include "ui/charts/chart_view.h"

class QAction;
class QKeyEvent;
class QMouseEvent;
class QRubberBand;
class QToolButton;
class QWheelEvent;
class QWidget;

namespace kvantage {

class PointKeys;

/// What a chart implements to be zoomed.
class Zoomable {
 public:
  virtual ~Zoomable() = default;
  /// What its axes cover unzoomed.
  virtual AxisRanges data_ranges() const = 0;
  /// Sets the axes; data_ranges() itself: as if nothing had been set.
  virtual void show_ranges(const AxisRanges& shown) = 0;
  /// Where the data is drawn, in the coordinates of the canvas.
  virtual QRectF zoom_area() const = 0;
  /// Axes of numbers or of places; none while there is nothing to see.
  virtual AxisChoice zoom_axes() const { return {}; }
  /// Of a chart that scrolls: what of y it shows unzoomed; 0: all of it.
  virtual double y_page() const { return 0; }
  /// What is shown, for a screen reader; empty: the ends of the axes say it.
  virtual QString shown_text() const { return {}; }
  /// Where an axis has places: the names of the first and the last one that are shown.
  virtual std::optional<std::pair<QString, QString>> end_names(Qt::Orientation) const { return {}; }
};

class ChartZoom : public QObject {
  Q_OBJECT
 public:
  /// `owner` has the keyboard and the menu, `canvas` the mouse; they may be one widget. `name`: of the chart. `keys`
  /// describe the shown range, and what they move to comes into view; null: none. All outlive this.
  ChartZoom(QWidget& owner, QWidget& canvas, Zoomable& chart, const QString& name, PointKeys* keys);

  /// After the chart's data changed: a zoomed or held chart keeps its axes, any other follows.
  void sync();
  /// The chart shows something else from now on, such as another table: neither zoom nor held axes apply to it.
  void forget();
  const ChartView& view() const { return view_; }
  bool zoomed() const { return view_.zoomed(); }

  /// About a place of the canvas, or the middle of the plot.
  void zoom(double factor, AxisChoice axes = {});
  void zoom_at(const QPointF& at, double factor, AxisChoice axes = {});
  /// To a box of the canvas.
  void zoom_to(const QRectF& box);
  void pan(const QPointF& by);
  void reset();
  /// A part of x, as another chart shows it; nothing: all of it. No gesture: moved() is not emitted.
  void show_x(const std::optional<AxisSpan>& span);
  /// Pans until a place of the canvas is inside of the plot.
  void bring_into_view(const QPointF& at);
  QToolButton& reset_button() const { return *reset_button_; }
  QAction& hold_action() const { return *hold_; }

  static constexpr double key_factor = 1.25;
  static constexpr double key_pan = 0.1;  // of what is shown

 signals:
  /// Mouse, keys or menu moved the axes.
  void moved();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Drag { none, box, pan };
  void add_actions(const QString& name);
  bool mouse_event(QEvent& event);
  bool pressed(const QMouseEvent& event);
  bool dragged(const QMouseEvent& event);
  bool released(const QMouseEvent& event);
  bool wheel(const QWheelEvent& event);
  bool key(const QKeyEvent& event, bool act);
  bool page_scrolls() const;
  AxisChoice axes_at(const QPointF& at) const;
  QPointF share_of(const QPointF& at) const;
  /// The data may have changed since the last sync().
  void update_data();
  void show();
  void place_button();
  void describe();

  QWidget &owner_, &canvas_;
  Zoomable& chart_;
  PointKeys* keys_;
  ChartView view_;
  QToolButton* reset_button_;
  QAction *hold_ = nullptr, *reset_action_ = nullptr;
  QPointer<QRubberBand> band_;
  Drag drag_ = Drag::none;
  int wheel_rest_ = 0;  // turned over places, less than a step
  QPointF from_;
};

}  // namespace kvantage
