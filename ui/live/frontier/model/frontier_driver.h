// Keeps the Frontier up to date: asks the planner when a control moves (at once) or the engine's state changes (a few
// times a second), and hands its answers to the model.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

class FrontierDriver : public QObject {
  Q_OBJECT
 public:
  /// Between two askings because of the engine's state: the least, and the most where simulated points take long. They
  /// get at most a quarter of a processor, as the engine needs it, too.
  static constexpr int background_interval_ms = 400, longest_interval_ms = 5000;
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
  QTimer background_{this};
  SessionSettings asked_;
  bool active_ = true, asked_once_ = false;
};

}  // namespace kvantage
