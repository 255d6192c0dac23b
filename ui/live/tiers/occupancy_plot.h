// One tier over time, painted by hand: bytes in use stacked by method, the budget as a line, moves and evictions as
// marks along the bottom. Measured.
#pragma once

#include <QWidget>
#include <optional>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/chart_zoom.h"
#include "ui/charts/linked_range.h"
#include "ui/live/tiers/model/tier_series_model.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class OccupancyPlot : public QWidget, public Themed, private Zoomable {
  Q_OBJECT
 public:
  OccupancyPlot(TierSeriesModel& model, std::string tier, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  ChartTable table() const;
  const std::string& tier() const { return tier_; }
  /// The chosen context's marks stand out; a click on a mark chooses. `texts`: what this tier stores of it, the longest
  /// text first; empty: nothing.
  void set_chosen(const QString& context, const QStringList& texts);
  QString chosen_text() const { return chosen_texts_.value(0); }
  PointKeys& keys() const { return *keys_; }
  ChartZoom& zoom() const { return *zoom_; }
  /// Its ids are the contexts of the actions.
  ChartBrush& brush() const { return *brush_; }
  /// Marks the moment under the mouse on any time chart, and shows the part of the run that they all show.
  void follow_time(TimeCursor& cursor);

 signals:
  void contextPicked(const QString& context);

 public:
  /// Where the steps are drawn, from one end of the axes to the other; in the widget's coordinates.
  QRectF plot() const;
  struct TimeLabel {
    QString text;
    QRectF place;
  };
  /// Below the axis of time, each whole within the widget.
  std::vector<TimeLabel> time_labels(const QFontMetrics& letters) const;
  QSize sizeHint() const override { return {320, 170}; }
  QSize minimumSizeHint() const override { return {180, 96}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// From the ends of the axes to pixels and back.
  struct Scale {
    QRectF area;
    double begin_seconds = 0, end_seconds = 1, bottom_bytes = 0, top_bytes = 1;
    double x(double seconds) const {
      return area.left() + area.width() * (seconds - begin_seconds) / (end_seconds - begin_seconds);
    }
    double y(double bytes) const {
      return area.bottom() - area.height() * (bytes - bottom_bytes) / (top_bytes - bottom_bytes);
    }
    double seconds_at(double x) const {
      return begin_seconds + (x - area.left()) / area.width() * (end_seconds - begin_seconds);
    }
  };
  struct Step;
  void paint_title(QPainter& painter, const TierSeriesModel::Tier* tier) const;
  QString chosen_words(const QFontMetrics& letters, double room) const;
  void paint_axes(QPainter& painter, const Scale& scale) const;
  std::vector<Step> steps(const TierSeriesModel::Tier& tier, const Scale& scale) const;
  void paint_areas(QPainter& painter, const std::vector<Step>& steps, const Scale& scale) const;
  void paint_budget(QPainter& painter, const std::vector<Step>& steps, const Scale& scale) const;
  void paint_marks(QPainter& painter, const TierSeriesModel::Tier& tier, const Scale& scale) const;
  QFont small_font() const;
  /// Of the axis of time, which doubles when the run reaches it.
  double end_seconds() const;
  /// Of what is shown; `tier` null: nothing is stored yet.
  Scale scale(const TierSeriesModel::Tier* tier) const;
  /// Seconds and bytes.
  AxisRanges data_ranges() const override;
  void show_ranges(const AxisRanges& shown) override;
  QRectF zoom_area() const override { return plot(); }
  AxisChoice zoom_axes() const override;
  /// Of the axis of bytes, which has room above what was ever used and may be used now; beyond the budget it doubles.
  double top_bytes(const TierSeriesModel::Tier& tier) const;
  /// What was stored then; null before the first sample.
  const TierSeriesModel::Sample* sample_at(double seconds) const;
  QString tip_at(const QPointF& at) const;
  QString sample_tip(const TierSeriesModel::Sample& sample) const;
  static QString mark_tip(const TierSeriesModel::Mark& mark);
  /// What was held, moment by moment; then the moves, and those of the chosen context by themselves.
  PointKeys::Rows key_rows() const;
  const TierSeriesModel::Mark* mark_at(const QPointF& at) const;
  TierSeriesModel& model_;
  std::string tier_;
  Theme theme_;
  QString chosen_;
  QStringList chosen_texts_;
  std::optional<AxisRanges> shown_;  // nothing: all data
  LazyRefresh* lazy_;
  PointKeys* keys_;
  ChartZoom* zoom_;
  ChartBrush* brush_;
  LinkedCursor* linked_ = nullptr;
  LinkedRange* linked_range_ = nullptr;
  QPointer<TimeRange> range_;  // null: not linked
};

/// The sign of an action, in the color of text with an edge in that of the ground: a disc (store), a triangle up
/// (promote) or down (demote), a bar (compress) or a cross (evict).
void draw_action_mark(QPainter& painter, const QPointF& at, ActionKind kind, const Theme& theme, double size = 4);

}  // namespace kvantage
