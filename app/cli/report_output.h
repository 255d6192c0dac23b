// How a report and a comparison are printed: one table first; everything else with --details.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "core/report/compare_runs.h"
#include "core/report/report.h"

namespace kvantage::cli {

inline constexpr std::size_t output_columns = 100;

/// Declares --details.
void add_details_option(CLI::App& command, bool& details);

/// The summary, and with `details` every table below it. Else the claim, the meaning of markers, and `more`: the
/// command that prints the details of what was served; empty: not said.
std::string report_output(const RunReport& report, bool details, const std::string& more = {});
std::string comparison_output(const RunComparison& comparison, bool details);

/// "kvantage-cli report --details", with --db unless the database is the default one.
std::string details_command(const std::filesystem::path& database);

}  // namespace kvantage::cli
