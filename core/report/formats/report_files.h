// A report as files in a folder: one per format, of CSV three.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/formats/report_formats.h"

namespace kvantage {

/// "html,json" -> {"html", "json"}, each once. usage error that names the formats there are.
Expected<std::vector<std::string>> parse_report_formats(std::string_view text);

/// What a report in all formats writes: report.html, report.csv, report_charts.csv, ...
std::vector<std::string> report_file_names();

/// Writes report.html, report.json, ... into `folder` (made when absent); the paths written.
Expected<std::vector<std::filesystem::path>> write_report_files(const RunReport& report,
                                                                const std::filesystem::path& folder,
                                                                const std::vector<std::string>& formats);

}  // namespace kvantage
