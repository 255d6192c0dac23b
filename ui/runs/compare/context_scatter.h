// One metric by context: the baseline along x, the other run along y, a point for each context that both runs asked
// about. On the diagonal the two are equal.
#pragma once

#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>
#include <string>
#include <vector>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_panel.h"
#include "ui/runs/compare/model/forest_model.h"

namespace kvantage {

class ContextScatter : public ChartPanel {
  Q_OBJECT
 public:
  struct Point {
    QString context;
    ContextValue baseline, other;  // in the metric's unit
  };

  /// Both models outlive this.
  ContextScatter(RunComparisonModel& source, ForestModel& forest, QWidget* parent = nullptr);
  /// As core names it.
  void set_metric(const QString& name);
  QString metric() const { return metric_; }
  /// It is marked; empty: none.
  void set_context(const QString& context);
  QString context() const { return context_; }
  /// By context; none where the metric has one value per run.
  std::vector<Point> points() const;
  ChartTable table() const override;
  /// Its ids are contexts.
  ChartBrush& brush() const { return *brush_; }

 signals:
  /// A point was clicked, or Enter pressed on it.
  void contextPicked(const QString& context);

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  QString empty_text() const override;
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override { emit contextPicked(stop.id); }

 private:
  /// Null: not compared.
  const ComparedMetric* compared() const;
  QPointF place(const Point& point) const;
  QString tip_of(const Point& point) const;
  QString axis_title(int side) const;
  QString value_in_words(double value) const;
  Provenance provenance() const;
  void set_axes(double low, double high);

  RunComparisonModel& source_;
  ForestModel& forest_;
  QScatterSeries* series_;
  QLineSeries* diagonal_;
  QValueAxis *x_axis_, *y_axis_;
  QString metric_, context_;
  std::vector<Point> shown_;
  ChartBrush* brush_;
};

}  // namespace kvantage
