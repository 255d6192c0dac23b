// A report as tables with typed columns, for Parquet: one per CSV file, with the same columns, and one of its requests.
// A number is a number, an empty cell is nothing, and names are without the apostrophe that spreadsheets need.
#pragma once

#include <vector>

#include "core/base/column_table.h"
#include "core/report/recorded_run.h"
#include "core/report/report.h"

namespace kvantage::inline formats {

/// One metric per row, as report.csv. A setting that differs from the baseline has its values in setting_value and
/// baseline_setting_value, as text; these two and the other columns of differences are there with a baseline only.
ColumnTable metric_columns(const RunReport& report);
/// The points of the charts, one per row, as report_charts.csv.
ColumnTable chart_columns(const RunReport& report);
/// All but metrics, one text per row, as report_facts.csv.
ColumnTable fact_columns(const RunReport& report);

/// One finished request per row, of all runs in order. `run` is A, B, ... in the order of `runs`. Warm-up requests are
/// marked; metrics of canceled ones are empty. Times in seconds, sizes in bytes. Qualities have a column per metric, at
/// most 64 of them.
ColumnTable request_columns(const std::vector<RecordedRun>& runs);

}  // namespace kvantage::inline formats
