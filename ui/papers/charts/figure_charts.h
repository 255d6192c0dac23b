// The chart of a figure's table: one of each kind, of which the shown table's is seen. A new kind of plot is one row in
// figure_charts.cpp.
#pragma once

#include <QStackedWidget>
#include <utility>
#include <vector>

#include "ui/charts/series_chart.h"
#include "ui/charts/time_line_chart.h"

namespace kvantage {

using MakeFigureChart = FigureChart* (*)(QWidget* parent);
/// Makes the chart that draws this kind of plot; kinds of one chart have the same.
MakeFigureChart figure_chart_of(FigurePlot::Kind kind);

class FigureCharts : public QStackedWidget, public Themed {
  Q_OBJECT
 public:
  explicit FigureCharts(QWidget* parent = nullptr);
  /// A chart of what is not shown holds nothing: it would be exported with the others. `result` null, or a table
  /// without a plot: all of them.
  void show_table(const FigureResult* result, std::size_t table);
  void set_theme(const Theme& theme) override;
  /// The one that is seen.
  FigureChart& shown() const { return *static_cast<FigureChart*>(currentWidget()); }
  /// Of lines and shares, and of spans: made at once, the others when a table first needs them.
  SeriesChart& series() const { return *series_; }
  TimeLineChart& time_line() const { return *time_line_; }

 private:
  FigureChart* chart_of(FigurePlot::Kind kind);
  std::vector<std::pair<MakeFigureChart, FigureChart*>> charts_;
  SeriesChart* series_;
  TimeLineChart* time_line_;
  Theme theme_;
};

}  // namespace kvantage
