#include "ui/charts/model_table.h"

#include <QAbstractItemModel>

namespace kvantage {

ChartTable table_of(const QAbstractItemModel& model) {
  ChartTable table;
  for (int c = 0; c < model.columnCount(); ++c) table.header << model.headerData(c, Qt::Horizontal).toString();
  for (int r = 0; r < model.rowCount(); ++r) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c) cells << model.index(r, c).data().toString();
    table.rows.append(cells);
  }
  return table;
}

}  // namespace kvantage
