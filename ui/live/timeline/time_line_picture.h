// Where things are on the timeline, and how they are painted. Plain values of one frame.
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <optional>
#include <vector>

#include "ui/charts/chart_view.h"
#include "ui/live/timeline/model/time_line_model.h"
#include "ui/look/theme.h"

namespace kvantage {

/// A label that was painted beside an annotation.
struct TimeLineLabel {
  std::size_t annotation = 0;
  QRectF place;
};

struct TimeLinePicture {
  const std::vector<TimeAnnotation>& annotations;
  QRectF detail, overview;    // the visible part with labels and marks, and the whole run below
  AxisSpan shown;             // s, in `detail`
  double extent = 1;          // s, in `overview`
  double begin = 0, end = 1;  // s, of the brush
  double now = 0;             // s, up to which something happened
  bool replayed = false;      // `now` is a place that was gone to

  /// In pixels.
  double x(double seconds) const;
  double overview_x(double seconds) const;
  /// In seconds.
  double detail_seconds(double x) const;
  double overview_seconds(double x) const;
  /// The visible part on the overview.
  QRectF brush() const;
  QRectF mark_box(const TimeAnnotation& annotation) const;
  /// `painter` has the font of labels and times.
  std::vector<TimeLineLabel> paint(QPainter& painter, const Theme& theme) const;

 private:
  void paint_marks(QPainter& painter, const Theme& theme) const;
  std::vector<TimeLineLabel> paint_labels(QPainter& painter, const Theme& theme) const;
  void paint_times(QPainter& painter, const Theme& theme) const;
  void paint_overview(QPainter& painter, const Theme& theme) const;
};

/// Heights in pixels, from top to bottom: labels, marks, times, overview.
struct TimeLineRows {
  explicit TimeLineRows(const QFont& font);
  static constexpr double side = 10, top = 2, marks = 10, overview = 8;
  double line = 0;  // of text
  double height() const { return top + line + marks + line + overview + 3; }
  QRectF detail(const QSizeF& size) const;
  QRectF overview_area(const QSizeF& size) const;
};

/// The sign of a kind of annotation, in its color: kinds differ by shape, too.
void draw_annotation_mark(QPainter& painter, const QPointF& at, RunMark::Kind kind, const Theme& theme,
                          double size = 4);
QColor annotation_color(RunMark::Kind kind, const Theme& theme);

}  // namespace kvantage
