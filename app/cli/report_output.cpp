#include "app/cli/report_output.h"

#include <algorithm>

#include "app/cli/base/help_text.h"
#include "app/cli/base/progress_line.h"
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

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, end - at);
    at = end + 1;
  }
  return widest;
}

/// The first column and those from `begin` to `end`.
Table part_of(const Table& table, std::size_t begin, std::size_t end) {
  Table part;
  part.columns.push_back(table.columns.front());
  part.columns.insert(part.columns.end(), table.columns.begin() + static_cast<std::ptrdiff_t>(begin),
                      table.columns.begin() + static_cast<std::ptrdiff_t>(end));
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<Cell>& cells = part.rows.emplace_back(1, row.front());
    cells.insert(cells.end(), row.begin() + static_cast<std::ptrdiff_t>(begin),
                 row.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return part;
}

/// Columns that do not fit follow below, again with the first one. An interval stays beside its metric.
std::string fitted(const Table& table, std::size_t columns) {
  const std::size_t count = table.columns.size();
  std::string text;
  for (std::size_t begin = 1; begin < count;) {
    std::size_t end = begin;
    for (std::size_t next = begin; next < count;) {
      do ++next;
      while (next < count && table.columns[next].find("interval") != std::string::npos);
      if (end > begin && widest_line(table_text(part_of(table, begin, next))) > columns) break;
      end = next;
    }
    text += (text.empty() ? "" : "\n") + table_text(part_of(table, begin, end), columns);
    begin = end;
  }
  return count > 1 ? text : table_text(table, columns);
}

/// What to_text() prints, in lines of at most `columns`.
std::string details_of(const RunReport& report, std::size_t columns) {
  const auto lines = [&](const std::string& text) { return wrapped(one_line(text), "", columns) + "\n"; };
  std::string text = lines(report.title) + lines(report.claim);
  for (const std::string& note : report.notes) text += lines(note);
  for (const Table& table : tables_of(report))
    text += "\n" + lines(table.title + (table.note.empty() ? "" : " (" + table.note + ")")) + fitted(table, columns);
  return text + "\n" + lines(mark_legend());
}

/// Lines that are longer continue below, further to the right than any of them begins.
std::string lines_within(const std::string& text, std::size_t columns) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += wrapped(std::string_view(text).substr(at, end - at), "        ", columns) + "\n";
    at = end + 1;
  }
  return lines;
}

}  // namespace

void add_details_option(CLI::App& command, bool& details) {
  command.add_flag("--details", details, "Print every table, not the summary alone");
}

std::string list_text(const std::vector<ListColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  Table table;
  bool named = false;
  for (const ListColumn& column : columns) {
    table.columns.push_back(column.name);
    named = named || !column.name.empty();
  }
  for (const std::vector<std::string>& row : rows) {
    std::vector<Cell>& line = table.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      line.push_back({row[i], Provenance::measured, false, !columns[i].right});
  }
  if (rows.empty()) {  // the head alone says what a row would be
    std::string head;
    for (const ListColumn& column : columns) head += "  " + column.name;
    return named ? head + "\n" : "";
  }
  const std::string text = table_text(table, output_columns);
  return named ? text : text.substr(text.find('\n') + 1);
}

std::string labeled_text(std::string_view label, const std::string& text) {
  constexpr std::size_t column = 14;
  std::string line = "  " + std::string(label);
  line.resize(std::max(line.size() + 1, column), ' ');
  return line + wrapped(one_line(text), std::string(column, ' '), output_columns, line.size()) + "\n";
}

std::string form_lines(const std::string& form) {
  std::string spaced;
  for (const char letter : form) spaced += letter == ',' ? std::string(", ") : std::string(1, letter);
  const std::string lines = wrapped(spaced, "    ", output_columns);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i] != ' ' || i == 0 || lines[i - 1] != ',') text += lines[i];
  return text + "\n";
}

std::string report_output(const RunReport& report, bool details, const std::string& more) {
  const Table table = summary_table(report);
  if (const std::size_t columns = stdout_columns(); details && columns > 0)
    return fitted(table, columns) + "\n" + details_of(report, columns);
  std::string text = table_text(table, output_columns) + "\n";
  if (details) return text + to_text(report);
  text += paragraph(table.note + ".") + paragraph(marks_of(table)) + paragraph(report.claim);
  for (const std::string& note : report.notes) text += paragraph("Note: " + note + ".");
  for (const Table& differences : differences_tables(report))  // a baseline was requested
    text += "\n" + paragraph(differences.title) + table_text(differences, output_columns);
  return more.empty() ? text : text + "Details: " + more + "\n";
}

std::string comparison_output(const RunComparison& comparison, bool details) {
  if (const std::size_t columns = stdout_columns(); details && columns > 0)
    return lines_within(to_text(comparison), columns);
  if (details) return to_text(comparison);
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    text +=
        one_line(run_letter(i) + "  " + comparison.runs[i] + "  " + comparison.names[i] + side_notes(comparison, i)) +
        "\n";
  for (const std::string& note : comparison.notes) text += paragraph("Note: " + note + ".");
  const Table table = summary_table(comparison);
  if (!table.rows.empty()) text += "\n" + table_text(table, output_columns);
  for (const ComparedPower& power : comparison.power)
    text += paragraph(run_letter(power.side) + ", " + power_text(power) + ".");
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
