#include "core/base/column_table.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/base/json_fields.h"

namespace kvantage {

TableCell whole_cell(std::uint64_t value) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, most));
}

TableColumn::TableColumn(std::string name, ColumnType type, std::string unit)
    : name_(std::move(name)), unit_(std::move(unit)), type_(type) {}

void TableColumn::reserve(std::size_t rows) {
  present_.reserve(rows);
  switch (type_) {
    case ColumnType::whole:
      return wholes_.reserve(rows);
    case ColumnType::real:
      return reals_.reserve(rows);
    case ColumnType::flag:
      return flags_.reserve(rows);
    case ColumnType::text:
      return starts_.reserve(rows + 1);
  }
}

void TableColumn::add(const TableCell& cell) {
  bool present = false;
  const auto value_of = [&cell, &present]<class Value>(Value absent) {
    const Value* value = std::get_if<Value>(&cell);
    assert(value != nullptr || std::holds_alternative<std::monostate>(cell));
    present = value != nullptr;
    return present ? *value : absent;
  };
  switch (type_) {
    case ColumnType::whole:
      wholes_.push_back(value_of(std::int64_t{0}));
      break;
    case ColumnType::real:
      reals_.push_back(value_of(0.0));
      break;
    case ColumnType::flag:
      flags_.push_back(value_of(false) ? 1 : 0);
      break;
    case ColumnType::text:
      texts_ += valid_utf8(value_of(std::string_view()));
      starts_.push_back(static_cast<std::int64_t>(texts_.size()));
      break;
  }
  present_.push_back(present ? 1 : 0);
}

TableCell TableColumn::at(std::size_t row) const {
  if (present_[row] == 0) return {};
  switch (type_) {
    case ColumnType::whole:
      return wholes_[row];
    case ColumnType::real:
      return reals_[row];
    case ColumnType::flag:
      return flags_[row] != 0;
    case ColumnType::text:
      break;
  }
  const auto begin = static_cast<std::size_t>(starts_[row]), end = static_cast<std::size_t>(starts_[row + 1]);
  return std::string_view(texts_).substr(begin, end - begin);
}

const TableColumn* ColumnTable::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &TableColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

void ColumnTable::add_row(std::initializer_list<TableCell> cells) {
  assert(cells.size() == columns.size());
  auto column = columns.begin();
  for (const TableCell& cell : cells) (column++)->add(cell);
}

}  // namespace kvantage
