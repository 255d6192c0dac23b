// The first alpha of a session for which nobody has chosen one: the knee of the predicted curve, once that is known of
// every context. One undo step; whoever changes a setting before has chosen.
#pragma once

#include <QObject>

#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class FirstAlpha : public QObject {
  Q_OBJECT
 public:
  FirstAlpha(RunModel& run, SettingsController& settings, QObject* parent = nullptr);

 signals:
  void chosen(double alpha, double before);

 private:
  void look();
  RunModel& run_;
  SettingsController& settings_;
  bool over_ = false;
};

}  // namespace kvantage
