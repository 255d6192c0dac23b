// A table of a figure as a time line: a lane per value of its first column, a bar per span. All time lines of one
// result share scale and colors, so that they can be compared.
#pragma once

#include <QCategoryAxis>
#include <QLineSeries>
#include <QStringList>
#include <QValueAxis>
#include <vector>

#include "core/report/figure_plot.h"
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
  double x_of(double time) const;
  std::size_t kind_of(const PlottedSpan& span) const;
  QString tip_of(const PlottedSpan& span) const;

  QString unit_;
  std::vector<PlottedSpan> spans_;
  QStringList lanes_, kinds_;
  double begin_ = 0, end_ = 1;
  QValueAxis* time_axis_;
  QCategoryAxis* lane_axis_;
};

}  // namespace kvantage
