// One table of a figure's result.
#pragma once

#include <QAbstractTableModel>

#include "core/report/figure.h"

namespace kvantage {

class FigureTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role { sort_role = Qt::UserRole + 1 };  // numbers as numbers; nothing first

  using QAbstractTableModel::QAbstractTableModel;
  void show(FigureTable table);
  const FigureTable& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  FigureTable table_;
};

}  // namespace kvantage
