// When a context has drifted: the rule, and its threshold in the rule's unit. A change gives the whole rule. Below it,
// what is assumed until the context is re-profiled, and how much time that may take.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QObject>
#include <array>

#include "core/ports/reprofile_rule.h"

namespace kvantage {

class ReprofileControls : public QObject {
  Q_OBJECT
 public:
  /// Adds four rows to `form`, which owns their widgets and must outlive this.
  ReprofileControls(QFormLayout& form, QObject* parent);
  void show_rule(const ReprofileRule& rule);
  /// As QualitySettings has them; `share` of the busy time, 0 to 1.
  void show_limits(bool assume_loss, double share);
  void set_enabled(bool enabled);
  QComboBox& rule() { return *rule_; }
  QDoubleSpinBox& threshold() { return *threshold_; }
  QCheckBox& assume_loss() { return *assume_loss_; }
  QDoubleSpinBox& share() { return *share_; }

 signals:
  /// The rule, and the control that made it, as a word for merging steps of undo; empty: a step of its own.
  void chosen(const ReprofileRule& rule, const QString& control);
  void lossAssumed(bool wanted);
  void shareChosen(double share);

 private:
  void add_limits(QFormLayout& form);
  void show_unit(ReprofileRule::Kind kind);
  double& last_bound(ReprofileRule::Kind kind) { return last_bounds_[static_cast<std::size_t>(kind)]; }

  QComboBox* rule_;
  QDoubleSpinBox* threshold_;
  QCheckBox* assume_loss_;
  QDoubleSpinBox* share_;
  ReprofileRule shown_;
  std::array<double, 3> last_bounds_{0.7, 0.3, 0.3};  // of each kind, to return to it
  bool showing_ = false;
};

/// "drift threshold 30 %".
QString reprofile_rule_text(const ReprofileRule& rule);

}  // namespace kvantage
