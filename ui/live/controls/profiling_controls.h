// How quality curves are measured, and what plans take of them.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGroupBox>

#include "ui/session/settings_controller.h"

namespace kvantage {

class ProfilingControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit ProfilingControls(SettingsController& settings, QWidget* parent = nullptr);
  void show_settings(const SessionSettings& settings);
  QComboBox& grid() { return *grid_; }
  QDoubleSpinBox& good_enough() { return *good_enough_; }
  QComboBox& bound() { return *bound_; }

 private:
  SettingsController& settings_;
  QComboBox *grid_, *bound_;
  QDoubleSpinBox* good_enough_;  // percent
  bool showing_ = false;
};

}  // namespace kvantage
