// One value per line, in the long form for data frames and pivot tables; plus the points of the charts, and a report's
// texts: the tables that Parquet has.
#include "core/base/column_csv.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_formats.h"

namespace kvantage::inline formats {

// Settings are texts, for which a table with types needs columns of their own.
std::string to_csv(const RunReport& report) {
  return csv_of(metric_columns(report), {{"value", "setting_value"}, {"baseline_value", "baseline_setting_value"}});
}

std::string to_charts_csv(const RunReport& report) { return csv_of(chart_columns(report)); }

std::string to_facts_csv(const RunReport& report) { return csv_of(fact_columns(report)); }

}  // namespace kvantage::inline formats
