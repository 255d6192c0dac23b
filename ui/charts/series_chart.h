// A table of a figure as lines or steps: a line for each column, or for each value of what distinguishes them, with a
// marker at each row and, where the table has them, 95 % intervals: pale bands for many points, bars for few; or the
// band that the plot names. Shares (cdf) are steps. A line can be switched off in the legend.
#pragma once

#include <QAreaSeries>
#include <QLineSeries>
#include <QValueAxis>
#include <vector>

#include "core/report/figure_plot.h"
#include "ui/charts/decimation.h"
#include "ui/papers/charts/grouped_chart.h"

namespace kvantage {

class SeriesChart : public GroupedChart {
  Q_OBJECT
 public:
  explicit SeriesChart(QWidget* parent = nullptr);
  ChartTable table() const override;
  const std::vector<PlottedLine>& lines() const { return lines_; }
  /// As of the last refresh, a series for each line: all of its points, or what of many can be told apart.
  const QLineSeries& series(std::size_t line) const { return *series_[line]; }
  /// Its intervals as a band; null where none was drawn as one so far.
  const QAreaSeries* band(std::size_t line) const { return bands_[line]; }

 protected:
  void take(const FigureResult& result, std::size_t table) override;
  void refresh() override;
  void shown_changed() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  QPointF place_of(const PlottedMark& mark, double y) const override;

 private:
  bool steps() const { return plot().kind == FigurePlot::Kind::cdf; }
  void add(QAbstractSeries* series);
  /// Of a line: what the horizontal axis shows, as indices of its points.
  std::vector<std::size_t> seen(std::size_t line, int columns_wanted) const;
  int columns() const;
  QList<QPointF> points_of(std::size_t line) const;
  void fill_band(std::size_t line);
  void set_axes();
  void set_legend();
  QString tip_of(const PlottedLine& line, const PlottedPoint& point) const;

  std::vector<PlottedLine> lines_;
  std::vector<MinMaxPyramid> pyramids_;  // of their points
  std::vector<QLineSeries*> series_;
  std::vector<QAreaSeries*> bands_;  // null: none yet
  QValueAxis *x_axis_, *y_axis_;
};

}  // namespace kvantage
