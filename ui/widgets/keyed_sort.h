// Sorting for tables of thousands of rows that change several times a second: each row gives its key once, not at every
// comparison, and rows are sorted when the view is next read, not at every change.
#pragma once

#include <QSortFilterProxyModel>
#include <QVariant>
#include <vector>

#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class KeyedSort : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  static constexpr int interval_ms = 500;

  /// `view`: while it is hidden nothing is sorted or filtered; whatever changed is, when it shows.
  explicit KeyedSort(QWidget& view);
  void setSourceModel(QAbstractItemModel* source) override;
  void sort(int column, Qt::SortOrder order) override;
  /// Filters and sorts now.
  void refresh();

 signals:
  /// Rows may have moved.
  void sorted();

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  std::vector<QVariant> keys_;  // by source row, of the sorted column
  LazyRefresh lazy_;
};

}  // namespace kvantage
