#include "ui/live/tiers/model/tier_counters_table.h"

#include "ui/live/tiers/model/tier_counter_names.h"

namespace kvantage {

TierCountersTable::TierCountersTable(TierReportsModel& model, QObject* parent)
    : QAbstractTableModel(parent), model_(model) {}

void TierCountersTable::refresh() {
  auto rows = model_.counters();
  const bool same_rows = rows.size() == rows_.size() &&
                         std::equal(rows.begin(), rows.end(), rows_.begin(), [](const auto& a, const auto& b) {
                           return a.tier == b.tier && a.what == b.what && a.reason == b.reason;
                         });
  if (same_rows) {  // only numbers changed: the selection stays
    rows_ = std::move(rows);
    if (!rows_.empty()) emit dataChanged(index(0, value), index(rowCount() - 1, value));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int TierCountersTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int TierCountersTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant TierCountersTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || static_cast<std::size_t>(index.row()) >= rows_.size()) return {};
  const TierReportsModel::Counter& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() == value)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole)  // with the identifiers that exports have
    return tr("%1: %2").arg((row.what + ' ' + row.reason).trimmed(), row.meaning);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case tier:
      return row.tier;
    case what:
      return counter_name(row.what);
    case reason:
      return counter_reason(row.reason);
    case value:
      return row.value;
    case meaning:
      return row.meaning;
    default:
      return {};
  }
}

QVariant TierCountersTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case tier:
      return tr("Tier");
    case what:
      return tr("Counter");
    case reason:
      return tr("Reason");
    case value:
      return tr("Value");
    case meaning:
      return tr("Meaning");
    default:
      return {};
  }
}

}  // namespace kvantage
