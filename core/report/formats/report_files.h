// A report as files in a folder: one per format, three for CSV.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/formats/report_formats.h"

namespace kvantage::inline formats {

/// "html,json" -> {"html", "json"}, without duplicates. usage error that lists the formats.
Expected<std::vector<std::string>> parse_report_formats(std::string_view text);

/// "html", "json", ...: what parse_report_formats() takes.
std::vector<std::string> report_format_names();

/// Files of a report in all formats: report.html, report.csv, report_charts.csv, ...
std::vector<std::string> report_file_names();

/// Writes report.html, report.json, ... into `folder` (created when absent); returns the paths.
Expected<std::vector<std::filesystem::path>> write_report_files(const RunReport& report,
                                                                const std::filesystem::path& folder,
                                                                const std::vector<std::string>& formats);

}  // namespace kvantage::inline formats
