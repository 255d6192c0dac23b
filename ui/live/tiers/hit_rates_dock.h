// Which tier serves requests, over time; how many requests caches of other sizes would miss.
#pragma once

#include <QComboBox>
#include <QSpinBox>
#include <QTabWidget>
#include <QWidget>

#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/miss_curve_chart.h"
#include "ui/session/run_model.h"

namespace kvantage {

class HitRatesDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit HitRatesDock(RunModel& run, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  HitRateChart& chart() { return *chart_; }

 private:
  QWidget* make_choices();
  void place_choices();
  HitRateChart* chart_;
  MissCurveChart* curve_;
  QTabWidget* pages_;
  QWidget* choices_;
};

}  // namespace kvantage
