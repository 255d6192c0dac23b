// What every Qt Charts view shares: a legend, a canvas that can paint over the chart, lazy refresh (a hidden chart does
// no work), theme, tooltips and the export menu.
#pragma once

#include <QChart>
#include <QChartView>
#include <QWidget>
#include <memory>

#include "ui/charts/chart_table.h"
#include "ui/charts/linked_range.h"
#include "ui/charts/pinned_tip.h"
#include "ui/charts/zoomed_axes.h"
#include "ui/look/font_scale.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/legend_strip.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class ChartPanel : public QWidget, public Themed {
  Q_OBJECT
 public:
  ~ChartPanel() override;
  QChart& chart() const { return *chart_; }
  LegendStrip& legend() const { return *legend_; }
  const Theme& theme() const { return theme_; }
  void set_theme(const Theme& theme) override;
  /// Brings the chart up to date now, visible or not.
  void flush() { lazy_->flush(); }
  int refresh_count() const { return lazy_->refresh_count(); }
  virtual ChartTable table() const = 0;
  PointKeys& keys() const { return *keys_; }
  ChartZoom& zoom() const { return *zoom_; }

 signals:
  /// At the end of a paint in which a series had points: not for axes, or a sentence, alone.
  void drawn();

 protected:
  /// Between two refreshes: what a hand moves, and what only grows with the run.
  static constexpr int hand_interval_ms = 50, history_interval_ms = 200;

  ChartPanel(const QString& name, QWidget* parent, int interval_ms = hand_interval_ms);
  void invalidate() { lazy_->invalidate(); }
  void invalidate_at_once() { lazy_->invalidate_at_once(); }
  /// Reads the model into the series: replace(), never append(); at most 1,200 points per series.
  virtual void refresh() = 0;
  /// After refresh() and whenever another part is shown: a chart of many points fills its series here with what the
  /// axes show (decimation.h).
  virtual void shown_changed() {}
  /// Paints in the chart's coordinates, above the series.
  virtual void paint_over(QPainter&) {}
  /// What is under the mouse, or empty.
  virtual QString tip_at(const QPointF&) const { return {}; }
  /// Where the keyboard may be, in the chart's coordinates.
  virtual PointKeys::Rows key_rows() const { return {}; }
  /// What Enter does there, and a click.
  virtual void entered(const PointStop&) {}
  virtual void clicked_at(const QPointF& at);
  /// A sentence for an empty chart: why there is nothing to see yet. Empty = there is.
  virtual QString empty_text() const { return {}; }
  /// What is shown of the point nearest to the mouse, as with the keyboard; empty: none is near.
  QString tip_near(const QPointF& at) const;
  /// For a page that is low itself: the chart may be as low as this, and its legend then has one row.
  void allow_low(int pixels);
  void repaint_overlay() { view_->viewport()->update(); }
  /// For a chart whose horizontal axis is logarithmic; call in its constructor.
  ZoomedAxes& zoomed_axes() { return axes_; }
  /// Of a time chart: marks the moment under the mouse on any of them, and shows the part of the run that they show.
  void link_time(TimeCursor& cursor, TimeReading reading);
  /// What the mouse is over, and the chart's coordinates are those of.
  QWidget& canvas() const { return *view_->viewport(); }
  /// Too low for axis titles and close ticks.
  bool compact() const { return height() < 150 + 40 * font_percent() / 100; }
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void show_titles();
  class View;
  friend class View;
  Theme theme_;
  QChart* chart_;
  QChartView* view_;
  LegendStrip* legend_;
  bool low_ = false;
  ZoomedAxes axes_;
  LazyRefresh* lazy_;
  PointKeys* keys_;
  ChartZoom* zoom_;
  LinkedCursor* linked_ = nullptr;
  LinkedRange* linked_range_ = nullptr;
};

/// A series painted with these, in place: no animation, no OpenGL.
QPen curve_pen(const QColor& color, double width, const QList<qreal>& dashes = {});

}  // namespace kvantage
