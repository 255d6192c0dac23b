// Counters of all tiers as rows: what was counted, for which reason, how often.
#pragma once

#include <QAbstractTableModel>

#include "ui/live/tiers/model/tier_reports_model.h"

namespace kvantage {

class TierCountersTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { tier, what, value, reason, meaning, column_count };
  explicit TierCountersTable(TierReportsModel& model, QObject* parent = nullptr);
  /// Takes over the model's present counters.
  void refresh();
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  const std::vector<TierReportsModel::Counter>& rows() const { return rows_; }

 private:
  TierReportsModel& model_;
  std::vector<TierReportsModel::Counter> rows_;
};

}  // namespace kvantage
