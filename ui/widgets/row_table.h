// How tables of the docks look and are walked through: whole rows, no grid, the last column takes what is left.
#pragma once

class QTableView;

namespace kvantage {

void show_as_rows(QTableView& table);

}  // namespace kvantage
