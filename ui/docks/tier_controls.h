// Budget and speed of one tier. Shaping makes a tier as slow as asked, and says so.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGroupBox>
#include <QLabel>

#include "core/ports/session.h"
#include "ui/widgets/log_slider.h"

namespace kvantage {

class TierControls : public QGroupBox {
  Q_OBJECT
 public:
  explicit TierControls(const QString& tier, QWidget* parent = nullptr);
  void show_setting(const TierSetting& setting);
  /// Bytes in use and what all contexts would need uncompressed: the end of the slider.
  void show_use(std::uint64_t used_bytes, std::uint64_t all_bytes, const TierState& state);
  const TierSetting& setting() const { return setting_; }
  LogSlider& budget() { return *budget_; }

 signals:
  void moving(const kvantage::TierSetting& setting);
  /// `what` = "budget" or "speed".
  void released(const kvantage::TierSetting& setting, const QString& what);

 private:
  void speed_changed();
  TierSetting setting_;
  LogSlider* budget_;
  QLabel *use_, *speed_note_;
  QComboBox* speed_;
  QWidget* shaping_;
  QDoubleSpinBox *bandwidth_, *latency_;
  std::uint64_t used_bytes_ = 0;
  double measured_bandwidth_ = 0, range_bytes_ = 0;
  bool showing_ = false;
};

}  // namespace kvantage
