// What a formula is worth beside EvicPress's utility: a point for each context, as it is placed now. Where the points
// rise to the right, the formula ranks contexts as EvicPress does. Predicted.
#pragma once

#include <QScatterSeries>
#include <QValueAxis>

#include "ui/charts/chart_panel.h"
#include "ui/live/controls/model/formula_points.h"

namespace kvantage {

class FormulaChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit FormulaChart(QWidget* parent = nullptr);
  /// Nothing is shown of an empty formula.
  void set_points(FormulaPoints points, const QString& formula);
  const FormulaPoints& points() const { return points_; }
  const QScatterSeries& series() const { return *series_; }
  ChartTable table() const override;
  QString empty_text() const override;

 protected:
  void refresh() override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  /// Values in the axis's unit, a power of ten.
  QPointF shown(const FormulaPoint& point) const;

  FormulaPoints points_;
  QString formula_;
  double unit_ = 1;
  QValueAxis *evicpress_axis_, *formula_axis_;
  QScatterSeries* series_;
};

}  // namespace kvantage
