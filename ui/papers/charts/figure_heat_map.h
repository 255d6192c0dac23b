// A table of a figure as a heat map: a row for each value of one column, a column for each value of another, and a
// number as the color of a cell.
#pragma once

#include <QLineSeries>

#include "core/report/plots/plotted_bars.h"
#include "ui/papers/charts/figure_chart.h"

namespace kvantage {

class FigureHeatMap : public FigureChart {
  Q_OBJECT
 public:
  explicit FigureHeatMap(QWidget* parent = nullptr);
  ChartTable table() const override;
  const PlottedCells& cells() const { return cells_; }
  /// In the chart's coordinates; rows from the top.
  QRectF cell_box(std::size_t row, std::size_t column) const;
  /// Invalid where the table has no number.
  QColor color_of(std::size_t row, std::size_t column) const;
  QString empty_text() const override;

 protected:
  void take(const FigureResult& result, std::size_t table) override;
  void refresh() override;
  void shown_changed() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  PointKeys::Rows key_rows() const override;

 private:
  const std::optional<double>& value(std::size_t row, std::size_t column) const {
    return cells_.values[row * cells_.columns.size() + column];
  }
  void set_column_names();
  void set_names();
  void set_legend();
  QString tip_of(std::size_t row, std::size_t column) const;

  PlottedCells cells_;
  QBarCategoryAxis *column_axis_, *row_axis_;
  ShownPlaces columns_, rows_;  // that are shown; rows from below
};

}  // namespace kvantage
