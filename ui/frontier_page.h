// The middle of the window: the Frontier under its heading, with the choice of a family.
#pragma once

#include <QWidget>

#include "ui/charts/frontier_chart.h"

namespace kvantage {

class FrontierPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit FrontierPage(FrontierModel& model, QWidget* parent = nullptr);
  FrontierChart& chart() { return *chart_; }
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }

 private:
  FrontierChart* chart_;
};

}  // namespace kvantage
