#include "core/base/column_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/shown_text.h"

namespace kvantage {
namespace {

std::string number_text(double value) {
  constexpr double longest_whole = 1e15;
  std::array<char, 32> text{};
  const bool whole = std::abs(value) < longest_whole && value == std::trunc(value);
  const auto [end, code] = whole ? std::to_chars(text.begin(), text.end(), static_cast<std::int64_t>(value))
                                 : std::to_chars(text.begin(), text.end(), value);
  return code == std::errc() ? std::string(text.begin(), end) : std::string();
}

struct CellText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(bool value) const { return value ? "1" : "0"; }
  std::string operator()(std::string_view value) const { return csv_cell(value); }
};

}  // namespace

std::string csv_of(const ColumnTable& table, const MergedColumns& merged) {
  std::vector<std::pair<const TableColumn*, const TableColumn*>> columns;  // with what stands in for it
  for (const TableColumn& column : table.columns) {
    if (std::ranges::find(merged, column.name(), &MergedColumns::value_type::second) != merged.end()) continue;
    const auto other = std::ranges::find(merged, column.name(), &MergedColumns::value_type::first);
    columns.emplace_back(&column, other == merged.end() ? nullptr : table.find(other->second));
  }
  std::string text;
  for (const auto& [column, other] : columns) text.append(text.empty() ? "" : ",").append(csv_cell(column->name()));
  text += "\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& [column, other] = columns[c];
      const bool empty = column->present()[row] == 0;
      text.append(c == 0 ? "" : ",").append(std::visit(CellText{}, empty && other ? other->at(row) : column->at(row)));
    }
    text += "\n";
  }
  return text;
}

}  // namespace kvantage
