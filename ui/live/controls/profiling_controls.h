// How quality curves are measured, and what plans take of them.
#pragma once

#include <QComboBox>
#include <QGroupBox>

#include "ui/session/settings_controller.h"

namespace kvantage {

class ProfilingControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit ProfilingControls(SettingsController& settings, QWidget* parent = nullptr);
  void show_settings(const SessionSettings& settings);
  QComboBox& grid() { return *grid_; }
  QComboBox& bound() { return *bound_; }

 private:
  SettingsController& settings_;
  QComboBox *grid_, *bound_;
};

}  // namespace kvantage
