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
  /// As show(), for a later state of the same table: rows are inserted, moved, removed or changed one by one, so that
  /// selection, sorting and scrolling stay. `keys`: leading columns that name a row.
  void update(FigureTable table, std::size_t keys);
  const FigureTable& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void place_row(std::size_t row, std::vector<Json> cells, std::size_t keys);
  FigureTable table_;
};

}  // namespace kvantage
