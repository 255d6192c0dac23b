// A table of a figure as bars: categories with a bar for each group side by side, or the bins of a histogram with a
// count for each group. Bars have their 95 % intervals and are told apart by hatching, too.
#pragma once

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QValueAxis>

#include "core/report/plots/plotted_bars.h"
#include "ui/papers/charts/grouped_chart.h"

namespace kvantage {

class FigureBarsChart : public GroupedChart {
  Q_OBJECT
 public:
  explicit FigureBarsChart(QWidget* parent = nullptr);
  ChartTable table() const override;
  /// Of a histogram the categories are its bins.
  const PlottedBars& bars() const { return bars_; }
  /// As of the last refresh, a set for each group that is switched on.
  const QBarSeries& series() const { return *series_; }
  QBarCategoryAxis& category_axis() const { return *category_axis_; }
  /// From zero to its value, in the chart's coordinates.
  QRectF bar_box(std::size_t group, std::size_t category) const;

 protected:
  void take(const FigureResult& result, std::size_t table) override;
  void refresh() override;
  void shown_changed() override { set_names(); }
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  PointKeys::Rows key_rows() const override;
  QPointF place_of(const PlottedMark& mark, double y) const override;

 private:
  bool counts() const { return plot().kind == FigurePlot::Kind::histogram; }
  /// Groups that are switched on, of those before this one.
  std::size_t shown_before(std::size_t group) const;
  double width_of_bar() const;
  /// In categories, of the bars of a group.
  double middle_of(double category, std::size_t group) const;
  double x_of_mark(const PlottedMark& mark) const;
  void set_names();
  void set_values();
  void set_legend();
  QString tip_of(std::size_t group, std::size_t category) const;

  PlottedBars bars_;
  std::vector<double> edges_;  // of bins
  QBarSeries* series_;
  QBarCategoryAxis* category_axis_;
  QValueAxis* value_axis_;
};

}  // namespace kvantage
