#include "core/report/latex.h"

#include "core/base/json_fields.h"
#include "core/report/markup.h"

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

}  // namespace kvantage
