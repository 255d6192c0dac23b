// Faults of one tier in a folder: which faults, how often, from which seed on, and what came of it.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSpinBox>
#include <QWidget>
#include <string>

#include "core/ports/fault_plan.h"
#include "core/ports/tier_statistics.h"
#include "ui/widgets/stacking_row.h"

namespace kvantage {

class FaultControls : public QWidget {
  Q_OBJECT
 public:
  explicit FaultControls(const QString& tier, QWidget* parent = nullptr);
  /// Text form of core/ports/fault_plan.h; a mixture that is no preset is shown as it stands.
  void show_faults(const std::string& faults);
  /// Reads and writes that failed, by reason; shown while faults are injected.
  void show_counts(const TierStatistics& statistics);
  const std::string& faults() const { return faults_; }
  QComboBox& preset() { return *preset_; }
  QDoubleSpinBox& probability() { return *probability_; }
  QSpinBox& seed() { return *seed_; }
  QString counts_text() const { return counts_->text(); }

 signals:
  void released(const std::string& faults);

 private:
  void choose(int index);
  void commit();
  void show_parts();

  QComboBox* preset_;
  StackingRow* parts_;
  QDoubleSpinBox* probability_;
  QSpinBox* seed_;
  QLabel* counts_;
  std::string faults_;
  bool showing_ = false;
};

}  // namespace kvantage
