// Keeps the Frontier up to date: asks the planner when a control moves (at once) or the engine's state changes (a few
// times a second), and hands its answers to the model.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/models/frontier_planner.h"
#include "ui/models/run_model.h"
#include "ui/models/settings_controller.h"

namespace kvantage {

class FrontierDriver : public QObject {
  Q_OBJECT
 public:
  static constexpr int background_interval_ms = 400;
  static constexpr std::size_t alphas_in_curve = 48;

  FrontierDriver(RunModel& run, SettingsController& settings, QObject* parent = nullptr);
  /// Nobody looks: nothing is computed until somebody does.
  void set_active(bool active);
  FrontierPlanner& planner() { return planner_; }

 private:
  void settings_shown(const SessionSettings& shown);
  void ask();

  RunModel& run_;
  SettingsController& settings_;
  FrontierPlanner planner_;
  QTimer background_;
  SessionSettings asked_;
  bool active_ = true, asked_once_ = false;
};

}  // namespace kvantage
