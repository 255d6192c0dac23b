// What a row of runs shows, made of what was recorded. Any thread.
#pragma once

#include "ui/runs/model/runs_model.h"

namespace kvantage {

/// Workload, model, alpha, budgets and metric out of the settings it was recorded with.
void read_settings(RunsModel::Row& row);
/// Beside the metrics of a run, as saved: the moves of its settings.
inline constexpr const char* moves_field = "moves";
/// The cells of a row, and the words it is found by. A run without an end is running if it is `present_run`, in another
/// window if somebody records it, else aborted.
void show_row(RunsModel::Row& row, const QString& present_run);
/// The mean of the metric that the run was made for, or of another where it was not scored; null: none was.
const RunMetrics::Mean* quality_of(const RunsModel::Row& row);

}  // namespace kvantage
