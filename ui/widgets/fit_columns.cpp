#include "ui/widgets/fit_columns.h"

#include <QHeaderView>
#include <algorithm>

namespace kvantage {

void fit_columns(QTableView& table, const QStringList& typical) {
  table.ensurePolished();
  table.horizontalHeader()->ensurePolished();
  for (int column = 0; column < typical.size() && column < table.model()->columnCount(); ++column)
    table.setColumnWidth(column, std::max(table.fontMetrics().horizontalAdvance(typical[column]) + 14,
                                          table.horizontalHeader()->sectionSizeHint(column) + 8));
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 7);
}

}  // namespace kvantage
