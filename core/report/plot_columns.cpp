#include "core/report/plot_columns.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline report {

namespace {

/// The columns of `by` with more than one value; the first where all are constant.
std::vector<std::size_t> telling_columns(const FigureTable& table, const std::vector<std::size_t>& by) {
  std::vector<std::size_t> telling;
  for (const std::size_t column : by)
    if (tells_apart(table, column)) telling.push_back(column);
  if (telling.empty() && !by.empty()) telling.push_back(by.front());
  return telling;
}

}  // namespace

std::optional<std::size_t> column_of(const FigureTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name);
  return found == table.columns.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

std::optional<std::vector<std::size_t>> columns_of(const FigureTable& table, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    const auto column = column_of(table, name);
    if (!column) return {};
    found.push_back(*column);
  }
  return found;
}

bool tells_apart(const FigureTable& table, std::size_t column) {
  return std::ranges::any_of(table.rows,
                             [&](const TableRow& row) { return row[column] != table.rows.front()[column]; });
}

std::string text_of_cell(const Json& cell) { return cell.is_null() ? std::string() : figure_cell_text(cell); }

std::optional<double> number_of_cell(const Json& cell) {
  if (!cell.is_number()) return {};
  const auto value = cell.get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<Interval> interval_behind(const FigureTable& table, const TableRow& row, std::size_t column) {
  if (column + 2 >= row.size() || table.columns[column + 1] != "low" || table.columns[column + 2] != "high") return {};
  const auto low = number_of_cell(row[column + 1]), high = number_of_cell(row[column + 2]);
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

PlotGroups::PlotGroups(const FigureTable& table, std::vector<std::size_t> by, bool several)
    : table_(table), by_(std::move(by)), telling_(telling_columns(table, by_)), several_(several) {}

std::size_t PlotGroups::of(const TableRow& row, std::size_t y, std::size_t column) {
  std::vector<std::string> values;
  values.reserve(by_.size());
  for (const std::size_t one : by_) values.push_back(text_of_cell(row[one]));
  const auto known = std::ranges::find_if(
      groups_, [&](const PlotGroup& group) { return group.column == y && group.values == values; });
  if (known != groups_.end()) return static_cast<std::size_t>(known - groups_.begin());
  groups_.push_back({name_of(row, column), y, std::move(values)});
  return groups_.size() - 1;
}

// The text that tells it apart; for a number its column as well.
std::string PlotGroups::name_of(const TableRow& row, std::size_t column) const {
  std::string name;
  for (const std::size_t one : telling_) {
    if (row[one].is_null()) continue;
    if (!name.empty()) name += ", ";
    if (!row[one].is_string()) name += table_.columns[one] + " ";
    name += text_of_cell(row[one]);
  }
  if (name.empty()) return table_.columns[column];
  return several_ ? table_.columns[column] + ", " + name : name;
}

}  // namespace kvantage::inline report
