// A table of a figure as lines: a line for each column, or for each value of what distinguishes them, with a marker at
// each row and, where the table has them, 95 % intervals. A line can be switched off in the legend.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <set>
#include <vector>

#include "core/report/figure_plot.h"
#include "ui/charts/chart_panel.h"

namespace kvantage {

class SeriesChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit SeriesChart(QWidget* parent = nullptr);
  void show_table(const FigureResult& result, std::size_t table);
  ChartTable table() const override;
  const std::vector<PlottedLine>& lines() const { return lines_; }
  /// As of the last refresh, a series for each line.
  const QLineSeries& series(std::size_t line) const { return *series_[line]; }
  QColor color_of(std::size_t line) const;
  QString empty_text() const override;

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  bool shown(const PlottedLine& line) const { return !hidden_.contains(QString::fromStdString(line.name)); }
  unsigned strokes_of(const PlottedLine& line) const;
  void set_axes();
  void set_legend();
  QString tip_of(const PlottedLine& line, const PlottedPoint& point) const;

  FigurePlot plot_;
  QString title_, y_title_;
  Provenance provenance_ = Provenance::measured;
  std::vector<PlottedLine> lines_;
  std::set<QString> hidden_;  // by name
  std::vector<QLineSeries*> series_;
  QValueAxis *x_axis_, *y_axis_;
};

}  // namespace kvantage
