#pragma once

#include "core/ports/session.h"
#include "ui/charts/chart_table.h"

namespace kvantage {

/// Every setting by its path in recorded runs ("tiers/0/budget_bytes") and its value, as the engine has them.
ChartTable settings_table(const SessionSettings& settings);

}  // namespace kvantage
