// Hit rates over requests: the sliding window strong, the rate since the start thin. Measured.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/models/hit_rate_model.h"

namespace kvantage {

class HitRateChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit HitRateChart(HitRateModel& model, QWidget* parent = nullptr);
  void set_measure(HitRateModel::Measure measure);
  void set_window(int requests);
  int window_requests() const { return window_; }
  ChartTable table() const override;
  const std::map<QString, QLineSeries*>& series() const { return windowed_; }

 protected:
  void refresh() override;
  QString empty_text() const override;

 private:
  QLineSeries* series_of(std::map<QString, QLineSeries*>& all, const QString& name);
  HitRateModel& model_;
  QValueAxis *request_axis_, *rate_axis_;
  std::map<QString, QLineSeries*> windowed_, cumulative_;
  HitRateModel::Measure measure_ = HitRateModel::by_requests;
  int window_ = 25;
};

}  // namespace kvantage
