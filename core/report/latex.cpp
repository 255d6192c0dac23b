#include "core/report/latex.h"

#include <algorithm>

#include "core/base/json_fields.h"
#include "core/report/markup.h"
#include "core/report/plot_drawing.h"

namespace kvantage {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : valid_utf8(text)) {
    switch (letter) {
      case '&': case '%': case '$': case '#': case '_': case '{': case '}': out += joined({"\\", std::string_view(&letter, 1)}); break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '\\': out += "\\textbackslash{}"; break;
      case '<': out += "\\textless{}"; break;
      case '>': out += "\\textgreater{}"; break;
      default: out += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
  }
  return out;
}

}  // namespace

// A comment ends with its line: what a name holds may not end it.
std::string latex_comment(std::string_view text) {
  std::string line = valid_utf8(text);
  for (char& letter : line)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return "% " + line + "\n";
}

std::string latex_table(const Table& table) {
  std::string text = "\\begin{table}\n\\centering\n\\caption{" + escaped(table.title);
  if (!table.note.empty()) text += " (" + escaped(table.note) + ")";
  text += "}\n\\begin{tabular}{";
  for (const Cell& cell : table.rows.front()) text += cell.left ? 'l' : 'r';
  text += "}\n\\hline\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += (i == 0 ? "" : " & ") + escaped(table.columns[i]);
  text += " \\\\\n\\hline\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : " & ") + escaped(row[i].text);
    text += " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n\\end{table}\n";
}

std::string latex_plot(const ReportPlot& plot) {
  const auto number = [](double value) { return Json(value).dump(); };
  const char* style = plot.kind == ReportPlot::Kind::points ? "only marks" : plot.kind == ReportPlot::Kind::steps ? "const plot, no marks" : "mark size=1.5pt";
  std::string text = "\\ifcsname pgfplotsset\\endcsname\n\\begin{figure}\n\\centering\n\\begin{tikzpicture}\n\\begin{axis}[width=\\linewidth, height=0.5\\linewidth, xlabel={" +
                     escaped(axis_text(plot.x_label, plot.x_unit)) + "}, ylabel={" + escaped(axis_text(plot.y_label, plot.y_unit)) +
                     "}, grid=major, legend pos=outer north east, cycle list name=exotic]\n";
  for (const PlotSeries& series : plot.series) {
    const bool bars = std::ranges::any_of(series.points, [](const PlotPoint& point) { return point.interval.has_value(); });
    text += std::string("\\addplot+[") + style + (series.aside ? ", dashed, no marks" : "") + (bars ? ", error bars/.cd, y dir=both, y explicit" : "") + "] coordinates {\n";
    for (const PlotPoint& point : series.points) {
      text += "(" + number(point.x) + ", " + number(point.y) + ")";
      if (bars && point.interval) text += " += (0, " + number(point.interval->high - point.y) + ") -= (0, " + number(point.y - point.interval->low) + ")";
      text += "\n";
    }
    text += "};\n\\addlegendentry{" + escaped(series.name) + "}\n";
  }
  if (plot.diagonal) text += "\\addplot[gray, dashed, domain=\\pgfkeysvalueof{/pgfplots/xmin}:\\pgfkeysvalueof{/pgfplots/xmax}] {x};\n";
  return text + "\\end{axis}\n\\end{tikzpicture}\n\\caption{" + escaped(plot.title) + " (" + escaped(plot.note) + ")}\n\\end{figure}\n\\fi\n";
}

}  // namespace kvantage
