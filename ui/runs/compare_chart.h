// Runs that are compared, each a point: time to first token against quality, with 95 % intervals both ways. Measured,
// throttled or simulated as the runs' metrics are.
#pragma once

#include <QScatterSeries>
#include <QValueAxis>
#include <optional>
#include <vector>

#include "ui/charts/chart_panel.h"
#include "ui/runs/model/run_comparison_model.h"

namespace kvantage {

class CompareChart : public ChartPanel {
  Q_OBJECT
 public:
  struct Point {
    int side = 0;
    double ttft_ms = 0, quality = 0;
    std::optional<Interval> ttft_interval, quality_interval;
    Provenance provenance = Provenance::measured;
  };

  explicit CompareChart(RunComparisonModel& model, QWidget* parent = nullptr);
  ChartTable table() const override;
  /// Runs that have both metrics; the quality that entered the utility, else the first there is.
  std::vector<Point> points() const;

 signals:
  /// A point was clicked, or Enter pressed on it.
  void runPicked(const QString& run_id);

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  QString empty_text() const override;
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override;

 private:
  const ComparedMetric* quality() const;
  QPointF place(double ttft_ms, double quality) const;
  QColor color_of(int side) const;

  RunComparisonModel& model_;
  QScatterSeries* series_;
  QValueAxis *ttft_axis_, *quality_axis_;
  std::vector<Point> shown_;
};

}  // namespace kvantage
