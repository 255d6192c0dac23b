#include "core/study/figure.h"

#include <algorithm>
#include <cmath>

#include "core/policy/plan_words.h"

namespace kvantage {

namespace {

std::string cell_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) {
    const double number = value.get<double>();
    return std::fabs(number) >= 1000 && std::fabs(number) < 1e15 ? std::to_string(std::llround(number)) : short_number(number);
  }
  return value.dump();
}

void append_table(const FigureTable& table, std::string& text) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
      widths[c] = std::max(widths[c], cell_text(row[c]).size());
  const auto pad = [&](const std::string& value, std::size_t column, bool left) {
    const std::string room(widths[column] - std::min(widths[column], value.size()), ' ');
    text += left ? value + room : room + value;
    text += column + 1 < widths.size() ? "  " : "";
  };
  text += "\n" + table.title + "\n";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool words = table.rows.empty() || (c < table.rows.front().size() && table.rows.front()[c].is_string());
    pad(table.columns[c], c, words);
  }
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) pad(cell_text(row[c]), c, row[c].is_string());
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
}

}  // namespace

Json to_json(const FigureResult& result) {
  Json tables = Json::array();
  for (const FigureTable& table : result.tables)
    tables.push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  return {{"figure", result.figure},
          {"title", result.title},
          {"paper", result.paper},
          {"settings", result.settings},
          {"provenance", to_string(result.provenance)},
          {"tables", std::move(tables)},
          {"findings", result.findings}};
}

std::string to_text(const FigureResult& result) {
  std::string text = result.figure + ": " + result.title + " (" + to_string(result.provenance) + ")\n";
  for (const auto& [name, value] : result.settings.items()) text += "  " + name + ": " + cell_text(value) + "\n";
  for (const FigureTable& table : result.tables) append_table(table, text);
  text += "\nThe paper: " + result.paper + "\n";
  for (const std::string& finding : result.findings) text += "Here: " + finding + "\n";
  return text;
}

}  // namespace kvantage
