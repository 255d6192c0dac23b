// The rows of the Contexts dock as numbers, for CSV: bytes, seconds and fractions, one unit a column.
#pragma once

#include <QAbstractProxyModel>

#include "ui/charts/chart_table.h"
#include "ui/live/contexts/model/contexts_model.h"

namespace kvantage {

/// The rows that `shown` (a proxy of `model`) has, in its order. A metric that there is none of is empty.
ChartTable contexts_table(const ContextsModel& model, const QAbstractProxyModel& shown);

}  // namespace kvantage
