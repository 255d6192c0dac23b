// Below the Frontier: fields for its targets, and the cheapest plan that meets them.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "ui/live/frontier/model/frontier_targets.h"

class QSettings;

namespace kvantage {

class TargetBar : public QWidget {
  Q_OBJECT
 public:
  /// The targets outlive the bar's last event.
  explicit TargetBar(FrontierTargets& targets, QWidget* parent = nullptr);
  QDoubleSpinBox& quality() { return *quality_; }
  /// In ms.
  QDoubleSpinBox& ttft() { return *ttft_; }
  /// Whether that is a mean or a p95: rows are those of TargetTtft.
  QComboBox& ttft_of() { return *ttft_of_; }
  /// Reads which TTFT is limited from `key` of `settings`, "mean" or "p95", and writes it there when the user chooses;
  /// anything else is the mean. `settings` outlives this.
  void keep_in(QSettings& settings, const QString& key);
  QToolButton& clear_button() { return *clear_; }
  QToolButton& use_button() { return *use_; }
  QString text() const { return answer_->text(); }

 private:
  QWidget* field(QWidget& name, QDoubleSpinBox& box);
  QToolButton* button(const QString& text, const QString& tip);
  void edited();
  void show_target();
  void show_answer();

  FrontierTargets& targets_;
  QDoubleSpinBox *quality_, *ttft_;
  QComboBox* ttft_of_;
  QToolButton *clear_, *use_;
  QLabel* answer_;
  bool showing_ = false;
};

}  // namespace kvantage
