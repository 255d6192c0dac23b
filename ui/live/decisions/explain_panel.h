// 'Explain' under the Frontier: which contexts move where between the present alpha and a second one.
#pragma once

#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "ui/live/decisions/model/explain_model.h"
#include "ui/widgets/keyed_sort.h"
#include "ui/widgets/log_slider.h"

namespace kvantage {

class ExplainPanel : public QWidget {
  Q_OBJECT
 public:
  ExplainPanel(RunModel& run, SettingsController& settings, QWidget* parent = nullptr);
  ExplainModel& model() { return model_; }
  LogSlider& second() { return *second_; }
  QTableView& table() { return *table_; }
  QString text() const { return summary_->text(); }
  /// The context whose row is marked; empty: none, or it does not move.
  QString marked() const;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void show_state();
  void show_selection();
  RunModel& run_;
  SettingsController& settings_;
  ExplainModel model_;
  QLabel *from_, *summary_;
  LogSlider* second_;
  KeyedSort* proxy_;
  QTableView* table_;
  bool fitted_ = false, syncing_ = false;
};

}  // namespace kvantage
