// The metrics of a table model as they are shown, for CSV.
#pragma once

#include "ui/charts/chart_table.h"

class QAbstractItemModel;

namespace kvantage {

ChartTable table_of(const QAbstractItemModel& model);

}  // namespace kvantage
