// When requests come, and when a context is re-profiled.
#pragma once

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGroupBox>

#include "ui/live/controls/reprofile_controls.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class ArrivalControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit ArrivalControls(SettingsController& settings, QWidget* parent = nullptr);
  void show_settings(const SessionSettings& settings);

 private:
  SettingsController& settings_;
  QDoubleSpinBox* rate_;
  QCheckBox* reprofile_;
  ReprofileControls* drift_;
  bool showing_ = false;
};

}  // namespace kvantage
