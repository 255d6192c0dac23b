// A table of a figure as points with intervals in x and y, a color for each group; where a second column names points,
// labels beside those that have room.
#pragma once

#include <QScatterSeries>
#include <QValueAxis>
#include <vector>

#include "core/report/plots/plotted_points.h"
#include "ui/papers/charts/grouped_chart.h"

namespace kvantage {

class FigureScatterChart : public GroupedChart {
  Q_OBJECT
 public:
  explicit FigureScatterChart(QWidget* parent = nullptr);
  ChartTable table() const override;
  const std::vector<PlottedCloud>& clouds() const { return clouds_; }
  /// As of the last refresh, a series for each cloud.
  const QScatterSeries& series(std::size_t cloud) const { return *series_[cloud]; }

 protected:
  void take(const FigureResult& result, std::size_t table) override;
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  QPointF place_of(const PlottedMark& mark, double y) const override;

 private:
  QPointF place(std::size_t cloud, double x, double y) const;
  void look(QScatterSeries& series, std::size_t cloud) const;
  void set_axes();
  void set_legend();
  void paint_labels(QPainter& painter) const;
  QString tip_of(std::size_t cloud, const CloudPoint& point) const;

  std::vector<PlottedCloud> clouds_;
  std::vector<QScatterSeries*> series_;
  QValueAxis *x_axis_, *y_axis_;
};

}  // namespace kvantage
