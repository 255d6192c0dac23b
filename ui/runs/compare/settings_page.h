// The settings of two compared runs: what differs, or all.
#pragma once

#include <QCheckBox>
#include <QTableView>
#include <QWidget>

#include "ui/runs/compare/model/settings_diff_model.h"
#include "ui/widgets/empty_note.h"

namespace kvantage {

class SettingsPage : public QWidget {
  Q_OBJECT
 public:
  /// Both models outlive this.
  SettingsPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent = nullptr);
  SettingsDiffModel& model() { return model_; }
  QTableView& table() { return *table_; }
  QCheckBox& all() { return *all_; }

 private:
  void fit();

  SettingsDiffModel model_;
  QCheckBox* all_;
  QTableView* table_;
  EmptyNote* empty_;
};

}  // namespace kvantage
