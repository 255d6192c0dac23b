// The settings of the baseline and of one other run: those that differ, or all.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/runs/compare/model/forest_model.h"

namespace kvantage {

class SettingsDiffModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { setting_column, baseline_column, other_column, column_count };

  /// Of the runs that `forest` compares. Both outlive this.
  SettingsDiffModel(RunComparisonModel& source, ForestModel& forest, QObject* parent = nullptr);
  bool shows_all() const { return shows_all_; }
  void show_all(bool all);
  /// How many differ, shown or not.
  int differing() const { return differing_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Line {
    QString name, baseline, other;
    bool differs = false;
  };
  void rebuild();

  RunComparisonModel& source_;
  ForestModel& forest_;
  bool shows_all_ = false;
  int differing_ = 0;
  std::vector<Line> lines_;
};

}  // namespace kvantage
