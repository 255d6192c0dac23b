// The tables of a report for a paper: plain tabular environments, no package needed beyond what every class loads. Charts are
// drawn where the document has pgfplots.
#include "core/report/latex.h"

#include "core/report/figure_list.h"

namespace kvantage {

std::string to_latex(const RunReport& report) {
  std::string text = latex_comment(report.title) + latex_comment(report.claim);
  const auto list = [&](const Json& json) {
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items())
      text += latex_comment(key + ": " + value.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  list(report.environment);
  list(report.settings);
  for (const Table& table : tables_of(report))
    if (!table.rows.empty()) text += "\n" + latex_table(table);
  for (const ReportPlot& plot : report.plots) text += "\n" + latex_plot(plot);
  for (const Table& table : figure_tables(report)) text += "\n" + latex_table(table);
  return text + "\n" + latex_comment(mark_legend());
}

}  // namespace kvantage
