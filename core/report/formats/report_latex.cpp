// A report for a paper: claim, charts, tables, reproduction command, environment, settings, every metric and its
// definition.
#include "core/report/formats/latex.h"
#include "core/report/formats/report_formats.h"

#include "core/report/report_content.h"

namespace kvantage::inline formats {
namespace {

std::string heading(std::string_view text) { return "\n\\subsection*{" + latex_breakable(text) + "}\n"; }

std::string paragraph(const std::string& text) { return "\\noindent " + text + "\\par\n"; }

std::string fields_text(std::string_view title, const std::vector<ReportField>& fields) {
  if (fields.empty()) return {};
  std::string text = heading(title);
  for (const ReportField& field : fields)
    text += paragraph("\\textbf{" + latex_breakable(field.name) + "}: " + latex_breakable(field.value));
  return text;
}

/// LaTeX holds about fifty floats and fails beyond: a page ends in between.
class Floats {
 public:
  void add(std::string& text, const std::string& written, std::size_t count) {
    constexpr std::size_t most = 12;
    waiting_ += count;
    if (waiting_ > most) {
      text += "\\clearpage\n";
      waiting_ = count;
    }
    text += "\n" + written;
  }

 private:
  std::size_t waiting_ = 0;
};

}  // namespace

std::string to_latex(const RunReport& report) {
  const ReportContent content = content_of(report);
  std::string text =
      latex_comment(content.title) +
      latex_comment("Charts are drawn where the document has pgfplots, wide tables are scaled where it has graphicx.");
  for (const std::string& command : content.commands) text += latex_comment(command);
  text +=
      latex_macros() + "\\begingroup\\sloppy\n" + heading(content.title) + paragraph(latex_breakable(content.claim));
  for (const std::string& note : content.notes) text += paragraph(latex_breakable(note));
  text += paragraph(latex_breakable(content.marks));
  Floats floats;
  for (const ReportPlot& plot : content.charts) floats.add(text, latex_plot(plot), 1);
  for (const Table& table : content.tables)
    if (!table.rows.empty()) floats.add(text, latex_table(table), latex_tables_of(table));
  if (!content.commands.empty()) text += heading("Reproduce this report");
  for (const std::string& command : content.commands) text += paragraph("\\texttt{" + latex_breakable(command) + "}");
  text += fields_text("System", content.environment) + fields_text("Settings", content.settings);
  for (const Table& table : content.metric_tables) floats.add(text, latex_table(table), latex_tables_of(table));
  text += heading("Metric definitions");
  for (const MetricDefinition& metric : content.definitions) {
    const std::string said = definition_text(metric);  // its name, then the rest
    text +=
        paragraph("\\textbf{" + latex_breakable(metric.name) + "}" + latex_breakable(said.substr(metric.name.size())));
  }
  return text + "\\par\\endgroup\n";
}

}  // namespace kvantage::inline formats
