// Sensitivity, fifth page: what-if planning of other models on imported curves, over a trace. Nothing of it is a plan
// of the session.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <array>

#include "ui/live/contexts/imported/what_if_chart.h"

namespace kvantage {

class WhatIfPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// presets: as of WhatIfModel. `curves` outlive it.
  WhatIfPage(ImportedCurves& curves, const QString& presets, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override { chart_->set_theme(theme); }
  WhatIfModel& model() { return model_; }
  WhatIfChart& chart() { return *chart_; }
  QComboBox& preset_box() { return *preset_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* new_budgets();
  void choose(const QString& title, void (WhatIfModel::*take)(const QString&));
  void show_choices();

  WhatIfModel model_;
  QComboBox* preset_;
  QPushButton *trace_, *times_;
  std::array<QDoubleSpinBox*, 2> shares_;
  QLabel* note_;
  WhatIfChart* chart_;
};

}  // namespace kvantage
