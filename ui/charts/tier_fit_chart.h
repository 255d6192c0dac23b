// Loads of one tier, bytes against milliseconds, with the line of its cost model: achieved beside fitted.
#pragma once

#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>

#include "ui/charts/chart_panel.h"
#include "ui/models/tier_reports_model.h"

namespace kvantage {

class TierFitChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit TierFitChart(TierReportsModel& model, QWidget* parent = nullptr);
  void set_tier(const QString& tier);
  const QString& tier() const { return tier_; }
  ChartTable table() const override;
  const QScatterSeries& loads() const { return *loads_; }
  const QScatterSeries& timings() const { return *timings_; }
  const QLineSeries& line() const { return *line_; }
  QString empty_text() const override;

 protected:
  void refresh() override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  QString tip_of(const FittedLoad& load) const;
  TierReportsModel& model_;
  QString tier_;
  QValueAxis *bytes_axis_, *time_axis_;
  QScatterSeries *loads_, *timings_;
  QLineSeries* line_;
};

}  // namespace kvantage
