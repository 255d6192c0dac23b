// What a row of the table of runs shows of the settings that a run was recorded with.
#pragma once

#include "ui/models/runs_model.h"

namespace kvantage {

/// Workload, model, alpha, budgets and quality metric out of row.run's settings; what is missing there stays empty.
void read_settings(RunsModel::Row& row);

}  // namespace kvantage
