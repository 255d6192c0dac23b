// The rows of the Requests dock as numbers, for CSV: bytes, seconds and fractions, one unit a column.
#pragma once

#include <QAbstractProxyModel>

#include "ui/charts/chart_table.h"
#include "ui/live/requests/model/requests_model.h"

namespace kvantage {

/// The rows that `shown` (a proxy of `model`) has, in its order. Metrics of a request that still runs, or was
/// cancelled, are empty.
ChartTable requests_table(const RequestsModel& model, const QAbstractProxyModel& shown);

}  // namespace kvantage
