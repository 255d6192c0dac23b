#include "ui/papers/model/figure_table_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

void FigureTableModel::show(FigureTable table) {
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
}

void FigureTableModel::update(FigureTable table, std::size_t keys) {
  if (table.columns.size() != table_.columns.size()) return show(std::move(table));
  for (std::size_t row = 0; row < table.rows.size(); ++row) place_row(row, std::move(table.rows[row]), keys);
  if (const std::size_t kept = table.rows.size(); kept < table_.rows.size()) {
    beginRemoveRows({}, static_cast<int>(kept), static_cast<int>(table_.rows.size()) - 1);
    table_.rows.resize(kept);
    endRemoveRows();
  }
  const bool other_header = table.columns != table_.columns;
  table.rows = std::move(table_.rows);
  table_ = std::move(table);
  if (other_header) emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

/// Rows before it are as they shall be.
void FigureTableModel::place_row(std::size_t row, std::vector<Json> cells, std::size_t keys) {
  const auto same_row = [&](const std::vector<Json>& other) {
    return std::equal(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(keys), cells.begin());
  };
  const auto begin = table_.rows.begin(), at = begin + static_cast<std::ptrdiff_t>(row);
  const auto found = std::find_if(at, table_.rows.end(), same_row);
  const int to = static_cast<int>(row), from = static_cast<int>(found - begin);
  if (found == table_.rows.end()) {
    beginInsertRows({}, to, to);
    table_.rows.insert(at, std::move(cells));
    endInsertRows();
    return;
  }
  if (from != to) {
    beginMoveRows({}, from, from, {}, to);
    std::rotate(at, found, found + 1);
    endMoveRows();
  }
  if (table_.rows[row] == cells) return;
  table_.rows[row] = std::move(cells);
  emit dataChanged(index(to, 0), index(to, columnCount() - 1));
}

int FigureTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int FigureTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant FigureTableModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Json& cell = table_.rows[static_cast<std::size_t>(at.row())][static_cast<std::size_t>(at.column())];
  switch (role) {
    case Qt::DisplayRole:
      return cell.is_null()     ? QStringLiteral("–")
             : cell.is_string() ? core_text(cell.get<std::string>())
                                : to_q(figure_cell_text(cell));
    case Qt::ToolTipRole:
      return core_text(table_.columns[static_cast<std::size_t>(at.column())]) + QStringLiteral(": ") +
             (cell.is_string() ? core_text(cell.get<std::string>())
              : cell.is_null() ? tr("no value")
                               : to_q(dump_json(cell)));
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::AlignVCenter | (cell.is_string() ? Qt::AlignLeft : Qt::AlignRight));
    case sort_role: {
      if (cell.is_string()) return to_q(cell.get<std::string>());
      return cell.is_number() ? cell.get<double>() : -std::numeric_limits<double>::infinity();
    }
    default:
      return {};
  }
}

QVariant FigureTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || static_cast<std::size_t>(section) >= table_.columns.size())
    return {};
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
    return core_text(table_.columns[static_cast<std::size_t>(section)]);
  return {};
}

}  // namespace kvantage
