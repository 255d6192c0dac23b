// A report as files in a folder: one per format, three for CSV, four for Parquet.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/column_table.h"
#include "core/report/formats/report_formats.h"

namespace kvantage::inline formats {

/// "html,json" -> {"html", "json"}, without duplicates. usage error that lists the formats.
Expected<std::vector<std::string>> parse_report_formats(std::string_view text);

/// "html", "json", ...: what parse_report_formats() takes.
std::vector<std::string> report_format_names();

/// Files of a report in all formats: report.html, report.csv, report_charts.csv, ...
std::vector<std::string> report_file_names();

/// What is drawn and needs fonts: empty in a program without a window.
struct ReportDrawing {
  /// As to_html() takes them: ui/report/html_charts.h.
  std::function<Expected<std::vector<std::string>>(const RunReport& report)> charts = {};
  /// Writes report.pdf: ui/report/pdf_file.h.
  std::function<Status(const RunReport& report, const std::filesystem::path& path)> pdf = {};
};

/// What Parquet needs: a module that writes it (app/wiring/parquet_module.h), and the requests, which a report has no
/// more (request_columns() of report_columns.h).
struct ParquetReport {
  EncodeTable encode = {};
  ColumnTable requests = {};
};

/// Writes report.html, report.json, ... into `folder` (created when absent); returns the paths. usage error, before any
/// file, where "html" or "pdf" is among the formats and the program does not draw, or "parquet" without an `encode`.
Expected<std::vector<std::filesystem::path>> write_report_files(const RunReport& report,
                                                                const std::filesystem::path& folder,
                                                                const std::vector<std::string>& formats,
                                                                const ReportDrawing& drawing = {},
                                                                const ParquetReport& parquet = {});

}  // namespace kvantage::inline formats
