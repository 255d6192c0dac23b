// A chart of a report by Qt Charts, for a page or a picture. Intervals and labels beside marks, which Qt Charts has no
// type for, are painted over it. Needs a QApplication and its thread.
#pragma once

#include <QChart>
#include <QGraphicsScene>
#include <QPainter>
#include <memory>
#include <vector>

#include "ui/report/chart_axes.h"
#include "ui/report/chart_series.h"

namespace kvantage::inline report_pages {

/// In points, without legend and title; empty: there is nothing to draw.
QSizeF chart_size(const ReportPlot& plot, double width);

/// Of a place: bars of stacked parts, the bars of a bin together, a box among so many.
inline constexpr double chart_bar_share = 0.7, chart_bin_share = 0.9;
double chart_box_share(std::size_t boxes);

struct ChartLabel {
  QString text;
  QRectF box;
};

class ChartPicture {
 public:
  /// `size`: of chart_size(), in points; one point is one unit of the painter.
  ChartPicture(const PageChart& chart, const QSizeF& size);
  ~ChartPicture();
  /// Series have the names and points of the plot, of logarithmic axes as log10; those of marks and lines are named
  /// alike. Bars and histograms have a set for each series, boxes one for each place.
  QChart& chart() const { return *chart_; }
  const PlotScales& scales() const { return scales_; }
  /// What is painted beside marks and bars: none covers another, a mark or an interval. A letter without a place is
  /// left out; the legend has its shape.
  const std::vector<ChartLabel>& labels() const { return labels_; }
  void paint(QPainter& painter) const;

 private:
  struct Interval2D {
    QLineF line;
    QColor color;
  };
  void add_bars();
  void add_boxes();
  void add_histogram();
  void add_points();
  void add_axes(QAbstractAxis* x, QAbstractAxis* y);
  void add_line(const QList<QPointF>& points, const QString& name, const SeriesLook& look);
  void add_marks(const QList<QPointF>& points, const QString& name, const SeriesLook& look);
  void find_intervals();
  void place_letters();
  void place_totals();
  QPointF at(double x, double y) const;

  PageChart from_;
  std::vector<SeriesLook> looks_;
  QSizeF size_;
  PlotScales scales_;
  std::unique_ptr<QGraphicsScene> scene_;
  QChart* chart_;
  std::vector<Interval2D> intervals_;
  std::vector<ChartLabel> labels_;
};

}  // namespace kvantage::inline report_pages
