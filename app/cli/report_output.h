// How a report and a comparison are printed: one table first; everything else with --details.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/compare_runs.h"
#include "core/report/report.h"

namespace kvantage::cli {

inline constexpr std::size_t output_columns = 100;

/// Declares --details.
void add_details_option(CLI::App& command, bool& details);

struct ListColumn {
  std::string name;
  bool right = false;  // as numbers are
};
/// Rows of a list in lines of at most output_columns: where they are wider, the widest texts are wrapped within their
/// column. Columns without names have no head.
std::string list_text(const std::vector<ListColumn>& columns, const std::vector<std::vector<std::string>>& rows);
/// "  does        what it does", wrapped within its column.
std::string labeled_text(std::string_view label, const std::string& text);
/// A text form, wrapped after the commas between its parameters; without spaces, so that it can be copied.
std::string form_lines(const std::string& form);

/// The summary, and with `details` every table below it. Else the claim, the meaning of markers, and `more`: the
/// command that prints the details of what was served; empty: not said.
std::string report_output(const RunReport& report, bool details, const std::string& more = {});
std::string comparison_output(const RunComparison& comparison, bool details);

/// "kvantage-cli report --details", with --db unless the database is the default one.
std::string details_command(const std::filesystem::path& database);

}  // namespace kvantage::cli
