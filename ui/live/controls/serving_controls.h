// How many requests are served at once, and how what is stored is served.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGroupBox>
#include <QSpinBox>

#include "ui/session/settings_controller.h"

class QFormLayout;

namespace kvantage {

class ServingControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit ServingControls(SettingsController& settings, QWidget* parent = nullptr);
  void show_settings(const SessionSettings& settings);

 private:
  void add_rows();
  void add_batch(QFormLayout& form);
  void add_speculation(QFormLayout& form);
  void commit_ways();
  void show_speculation(const QString& setting);

  SettingsController& settings_;
  QSpinBox *batch_, *prefill_batch_;  // requests; tokens
  QCheckBox *meet_, *recompute_;      // ways to serve what is stored, besides loading it
  QCheckBox* quantized_;
  QComboBox* speculation_;
  bool showing_ = false;
};

}  // namespace kvantage
