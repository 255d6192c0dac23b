// A table of a figure as a time line: a lane per value of its first column, a bar per span. All time lines of one
// result share scale and colors, so that they can be compared.
#pragma once

#include <QCategoryAxis>
#include <QLineSeries>
#include <QStringList>
#include <QValueAxis>
#include <vector>

#include "core/report/figure_plot.h"
#include "ui/charts/decimation.h"
#include "ui/papers/charts/figure_chart.h"

namespace kvantage {

class TimeLineChart : public FigureChart {
  Q_OBJECT
 public:
  explicit TimeLineChart(QWidget* parent = nullptr);
  ChartTable table() const override;
  const std::vector<PlottedSpan>& spans() const { return spans_; }
  /// From top to bottom.
  const QStringList& lanes() const { return lanes_; }
  const QStringList& kinds() const { return kinds_; }
  /// In the chart's coordinates.
  QRectF lane_box(qsizetype lane) const;
  QRectF slice(const PlottedSpan& span) const;
  QColor color_of(const PlottedSpan& span) const;
  /// Its kind's hatching distinguishes bars, also without color.
  Qt::BrushStyle pattern_of(const PlottedSpan& span) const;
  QString empty_text() const override;

 protected:
  void take(const FigureResult& result, std::size_t table) override;
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  PointKeys::Rows key_rows() const override;

 private:
  /// The bars of one lane, by their begin.
  struct Lane {
    std::vector<std::size_t> spans;  // places in spans_
    MinMaxPyramid ends;              // (begin, end) of each
    std::vector<double> latest;      // the latest end up to each
  };
  void index_lanes();
  /// Places in spans_, ascending, of what of a lane can be told apart between two times: all where they are few, else
  /// of each column of pixels the bar that ends last.
  std::vector<std::size_t> seen(std::size_t lane, double begin, double end) const;
  QRectF slice(std::size_t lane, const PlottedSpan& span) const;
  double x_of(double time) const;
  std::size_t kind_of(const PlottedSpan& span) const;
  QString tip_of(const PlottedSpan& span) const;

  QString unit_;
  std::vector<PlottedSpan> spans_;
  std::vector<Lane> by_lane_;  // in the order of lanes_
  QStringList lanes_, kinds_;
  double begin_ = 0, end_ = 1;
  QValueAxis* time_axis_;
  QCategoryAxis* lane_axis_;
};

}  // namespace kvantage
