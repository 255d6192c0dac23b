#include "ui/widgets/keyed_sort.h"

namespace kvantage {

KeyedSort::KeyedSort(QWidget& view)
    : QSortFilterProxyModel(&view),
      lazy_(
          view, [this] { refresh(); }, interval_ms) {
  setDynamicSortFilter(false);
}

void KeyedSort::setSourceModel(QAbstractItemModel* source) {
  QSortFilterProxyModel::setSourceModel(source);
  connect(source, &QAbstractItemModel::dataChanged, this, [this] { lazy_.invalidate(); });
  connect(source, &QAbstractItemModel::rowsInserted, this, [this] { lazy_.invalidate(); });
  connect(this, &QAbstractItemModel::modelReset, this, &KeyedSort::refresh);
}

void KeyedSort::sort(int column, Qt::SortOrder order) {
  const int rows = sourceModel() ? sourceModel()->rowCount() : 0;
  keys_.clear();
  for (int row = 0; column >= 0 && row < rows; ++row)
    keys_.push_back(sourceModel()->index(row, column).data(sortRole()));
  QSortFilterProxyModel::sort(column, order);
  emit sorted();
}

void KeyedSort::refresh() {
  invalidateFilter();
  sort(sortColumn(), sortOrder());
}

bool KeyedSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const auto a = static_cast<std::size_t>(left.row()), b = static_cast<std::size_t>(right.row());
  if (a >= keys_.size() || b >= keys_.size()) return QSortFilterProxyModel::lessThan(left, right);
  const QPartialOrdering order = QVariant::compare(keys_[a], keys_[b]);
  return order == QPartialOrdering::Less;
}

}  // namespace kvantage
