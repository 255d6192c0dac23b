// The output formats of a report that are text: each has a file here and a row in report_files.cpp. PDF: ui/report.
#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/report.h"
#include "core/report/table.h"

namespace kvantage::inline formats {

/// Columns and rows as text lines for a fixed-width font, without title and note; each ends with a newline. A table
/// that is wider than `max_columns` wraps the cells of its widest left-aligned column, at commas and the like where it
/// can; 0: as wide as it is.
std::string table_text(const Table& table, std::size_t max_columns = 0);
/// Console tables, one row per policy each; plain ASCII, ends with a newline.
std::string to_text(const RunReport& report);
/// One self-contained page, light and dark; well-formed as XML too. `charts`: elements for the charts of the report's
/// content, in their order, in the page's colors (ui/report/html_charts.h); those that are not there are left out, and
/// their titles and notes stay.
std::string to_html(const RunReport& report, const std::vector<std::string>& charts = {});
/// One value per line, with every digit: policy, metric, part (tier, metric, reason), value, unit, provenance, and for
/// distributions n, contexts, interval, percentiles and the interval of p95.
std::string to_csv(const RunReport& report);
/// The data of the charts, one point per line, with units.
std::string to_charts_csv(const RunReport& report);
/// Everything but metrics, one per line: claim, commands, environment, settings, injected faults, chart texts,
/// definitions.
std::string to_facts_csv(const RunReport& report);
/// Claim, charts, tables, settings and definitions for \input into a document; required packages: latex.h.
std::string to_latex(const RunReport& report);
/// {"format":"kvantage-report","version":1,...}: every metric as {value, unit, provenance}.
Json to_report_json(const RunReport& report);

}  // namespace kvantage::inline formats
