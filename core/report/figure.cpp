#include "core/report/figure.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "core/policy/plan_text.h"
#include "core/report/figure_plot.h"

namespace kvantage::inline report {

namespace {

void append_table(const FigureTable& table, std::string& text) {
  std::vector<std::size_t> widths;
  widths.reserve(table.columns.size());
  for (const std::string& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
      widths[c] = std::max(widths[c], figure_cell_text(row[c]).size());
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
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c)
      pad(figure_cell_text(row[c]), c, row[c].is_string());
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) line += (c > 0 ? "," : "") + csv_cell(cells[c]);
  return line + "\r\n";
}

// As in JSON: enough digits to read the same number back.
std::string full_text(const Json& value) {
  return value.is_null() ? std::string() : value.is_string() ? value.get<std::string>() : dump_json(value);
}

Expected<FigureTable> table_from_json(const Json& json, const std::string& name) {
  KV_ASSIGN(const auto title, json_field<std::string>(json, "title", name));
  KV_ASSIGN(const auto columns, json_field<std::vector<std::string>>(json, "columns", name));
  KV_ASSIGN(const auto rows, json_field<std::vector<std::vector<Json>>>(json, "rows", name));
  const std::string where = name + ": table '" + title + "'";
  const auto odd = std::ranges::find_if(rows, [&](const auto& row) { return row.size() != columns.size(); });
  if (odd != rows.end())
    return fail(ErrorCode::rejected_input, where + " has a row of " + std::to_string(odd->size()) + " cells under " +
                                               std::to_string(columns.size()) + " columns; reproduce the figure again");
  FigureTable table{title, columns, rows};
  if (!json.contains("plot")) return table;  // files from before plots existed have none
  KV_ASSIGN(auto plot, figure_plot_from_json(json["plot"], table, where + ": plot"));
  table.plot = std::move(plot);
  return table;
}

Expected<Provenance> provenance_from(const std::string& text, const std::string& name) {
  for (const Provenance known : {Provenance::measured, Provenance::throttled, Provenance::simulated,
                                 Provenance::predicted, Provenance::imported})
    if (text == to_string(known)) return known;
  return fail(ErrorCode::rejected_input,
              name + ": provenance '" + printable(text) +
                  "' is none of measured, shaped, modelled, predicted, imported; reproduce the figure again");
}

}  // namespace

std::string figure_cell_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) {
    const double number = value.get<double>();
    return std::fabs(number) >= 1000 && std::fabs(number) < 1e15 ? std::to_string(std::llround(number))
                                                                 : short_number(number);
  }
  return dump_json(value);
}

Json to_json(const FigureResult& result) {
  Json tables = Json::array();
  for (const FigureTable& table : result.tables) {
    tables.push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    if (table.plot) tables.back()["plot"] = to_json(*table.plot);
  }
  return {{"figure", result.figure},
          {"title", result.title},
          {"paper", result.paper},
          {"settings", result.settings},
          {"provenance", to_string(result.provenance)},
          {"tables", std::move(tables)},
          {"findings", result.findings},
          {"runs", result.runs}};
}

Expected<FigureResult> figure_result_from_json(const Json& json, const std::string& name) {
  FigureResult result;
  const std::pair<const char*, std::string FigureResult::*> texts[] = {
      {"figure", &FigureResult::figure}, {"title", &FigureResult::title}, {"paper", &FigureResult::paper}};
  for (const auto& [key, member] : texts) {
    KV_ASSIGN(auto text, json_field<std::string>(json, key, name));
    result.*member = std::move(text);
  }
  KV_ASSIGN(auto settings, json_field<Json>(json, "settings", name));
  result.settings = std::move(settings);
  KV_ASSIGN(const auto provenance, json_field<std::string>(json, "provenance", name));
  KV_ASSIGN(const auto known, provenance_from(provenance, name));
  result.provenance = known;
  KV_ASSIGN(const auto tables, json_field<std::vector<Json>>(json, "tables", name));
  for (const Json& one : tables) {
    KV_ASSIGN(auto table, table_from_json(one, name));
    result.tables.push_back(std::move(table));
  }
  const std::pair<const char*, std::vector<std::string> FigureResult::*> lists[] = {
      {"findings", &FigureResult::findings}, {"runs", &FigureResult::runs}};
  for (const auto& [key, member] : lists) {
    KV_ASSIGN(auto list, json_field_or<std::vector<std::string>>(json, key, name, {}));
    result.*member = std::move(list);
  }
  return result;
}

Expected<std::vector<FigureResult>> figure_results_of(std::string_view text, const std::string& name) {
  KV_TRY(check_json_depth(text, name));
  std::vector<FigureResult> results;
  std::istringstream stream{std::string(text)};
  while (stream >> std::ws && stream.peek() != std::istringstream::traits_type::eof()) {
    Json json;
    try {
      stream >> json;
    } catch (const Json::exception&) {
      return fail(ErrorCode::rejected_input, name + ": is not JSON; reproduce the figure again");
    }
    for (const Json& one : json.is_array() ? json : Json::array({json})) {
      KV_ASSIGN(auto result, figure_result_from_json(one, name));
      results.push_back(std::move(result));
    }
  }
  return results;
}

std::string to_csv(const FigureResult& result) {
  std::string text;
  for (const FigureTable& table : result.tables) {
    text += (text.empty() ? "" : "\r\n") + csv_line({table.title}) + csv_line(table.columns);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      cells.reserve(row.size());
      for (const Json& cell : row) cells.push_back(full_text(cell));
      text += csv_line(cells);
    }
  }
  return text;
}

std::string to_text(const FigureResult& result) {
  std::string text = result.figure + ": " + result.title + " (" + display_name(result.provenance) + ")\n";
  for (const auto& [name, value] : result.settings.items()) text += "  " + name + ": " + figure_cell_text(value) + "\n";
  for (const FigureTable& table : result.tables) append_table(table, text);
  text += "\nThe paper: " + result.paper + "\n";
  for (const std::string& finding : result.findings) text += "Here: " + finding + "\n";
  return text;
}

}  // namespace kvantage::inline report
