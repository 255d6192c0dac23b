#include "ui/papers/model/figure_table_model.h"

#include <limits>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

void FigureTableModel::show(FigureTable table) {
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
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
