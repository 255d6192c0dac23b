// Budget, speed and faults of one tier. Shaping makes a tier as slow as asked, and says so.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGroupBox>
#include <QLabel>

#include "core/ports/session.h"
#include "ui/live/controls/fault_controls.h"
#include "ui/widgets/log_slider.h"

namespace kvantage {

class TierControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit TierControls(const QString& tier, QWidget* parent = nullptr);
  void show_setting(const TierConfig& setting);
  /// Bytes in use and what all contexts would need uncompressed: the end of the slider.
  void show_use(std::uint64_t used_bytes, std::uint64_t all_bytes, const TierState& state);
  /// Neither is known: a recorded run at its first moment.
  void forget_use();
  /// What failed, for the faults of a tier in a folder.
  void show_failures(const TierStatistics& statistics) { faults_->show_counts(statistics); }
  const TierConfig& setting() const { return setting_; }
  LogSlider& budget() { return *budget_; }
  FaultControls& faults() { return *faults_; }

 signals:
  void moving(const kvantage::TierConfig& setting);
  /// `what` = "budget", "speed" or "faults".
  void released(const kvantage::TierConfig& setting, const QString& what);

 private:
  void speed_changed();
  void show_budget();
  TierConfig setting_;
  LogSlider* budget_;
  QLabel *use_, *speed_note_;
  QComboBox* speed_;
  StackingRow* throttle_row_;
  QDoubleSpinBox *bandwidth_, *latency_;
  QLabel* faults_label_;
  FaultControls* faults_;
  std::uint64_t used_bytes_ = 0;
  double measured_bandwidth_ = 0, range_bytes_ = 0;
  bool showing_ = false;
};

}  // namespace kvantage
