#include "app/cli/report_output.h"

#include "app/cli/base/help_text.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/session_options.h"
#include "core/report/formats/compare_formats.h"
#include "core/report/formats/report_formats.h"
#include "core/report/report_differences.h"
#include "core/report/summary_table.h"

namespace kvantage::cli {
namespace {

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : wrapped(one_line(text), "", output_columns) + "\n";
}

}  // namespace

void add_details_option(CLI::App& command, bool& details) {
  command.add_flag("--details", details, "Print every table, not the summary alone");
}

std::string report_output(const RunReport& report, bool details, const std::string& more) {
  const Table table = summary_table(report);
  std::string text = table_text(table, output_columns) + "\n";
  if (details) return text + to_text(report);
  text += paragraph(table.note + ".") + paragraph(marks_of(table)) + paragraph(report.claim);
  for (const Table& differences : differences_tables(report))  // a baseline was requested
    text += "\n" + paragraph(differences.title) + table_text(differences, output_columns);
  return more.empty() ? text : text + "Details: " + more + "\n";
}

std::string comparison_output(const RunComparison& comparison, bool details) {
  if (details) return to_text(comparison);
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    text += run_letter(i) + "  " + comparison.runs[i] + "  " + one_line(comparison.names[i]) +
            (i == comparison.baseline ? "  (baseline)\n" : "\n");
  const Table table = summary_table(comparison);
  if (!table.rows.empty()) text += "\n" + table_text(table, output_columns);
  const std::size_t differ = comparison.settings.size();
  const std::string settings = differ == 0   ? "No setting differs."
                               : differ == 1 ? "1 setting differs: --details."
                                             : std::to_string(differ) + " settings differ: --details.";
  return text + "\n" + settings + "\n" + paragraph(marks_of(table));
}

std::string details_command(const std::filesystem::path& database) {
  return "kvantage-cli report --details" + (database == default_database() ? "" : " --db " + database.string());
}

}  // namespace kvantage::cli
