// Budget, speed, faults and price of one tier. Shaping makes a tier as slow as asked, and says so. The price is a
// preference, not a setting of the session.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGroupBox>
#include <QLabel>

#include "core/ports/session.h"
#include "ui/live/controls/fault_controls.h"
#include "ui/live/frontier/model/tier_prices.h"
#include "ui/widgets/log_slider.h"

class QGridLayout;

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
  /// Shows the tier's price and lets the user change it; `prices` outlives this. Without it there is no field.
  void set_prices(TierPrices& prices);
  const TierConfig& setting() const { return setting_; }
  LogSlider& budget() { return *budget_; }
  FaultControls& faults() { return *faults_; }
  QDoubleSpinBox& price() { return *price_; }

 signals:
  void moving(const kvantage::TierConfig& setting);
  /// `what` = "budget", "speed" or "faults".
  void released(const kvantage::TierConfig& setting, const QString& what);

 private:
  void add_speed(QGridLayout& grid, const QString& tier);
  void add_price(QGridLayout& grid, const QString& tier);
  void speed_changed();
  void show_budget();
  void show_price();
  TierConfig setting_;
  LogSlider* budget_;
  QLabel *use_, *speed_note_;
  QComboBox* speed_;
  StackingRow* throttle_row_;
  QDoubleSpinBox *bandwidth_, *latency_;
  QLabel* faults_label_;
  FaultControls* faults_;
  QLabel* price_label_;
  QDoubleSpinBox* price_;
  TierPrices* prices_ = nullptr;
  std::uint64_t used_bytes_ = 0;
  double measured_bandwidth_ = 0, range_bytes_ = 0;
  bool showing_ = false;
};

}  // namespace kvantage
