// All compared runs side by side: the settings that differ, and each metric with its interval, n and judgment.
#pragma once

#include <QTableView>

#include "ui/look/theme.h"
#include "ui/runs/model/run_comparison_model.h"

namespace kvantage {

class ValuesTable : public QTableView, public Themed {
  Q_OBJECT
 public:
  /// `model` outlives this.
  explicit ValuesTable(RunComparisonModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;

 private:
  void fit();

  RunComparisonModel& model_;
  Theme theme_;
};

}  // namespace kvantage
