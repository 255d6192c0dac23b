// A table whose columns have types, for files that keep them: Parquet (core/ports/parquet_module.h).
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// What a column holds. The numbers are part of the interface of the module that writes Parquet files.
enum class ColumnType : std::int32_t { whole = 0, real = 1, flag = 2, text = 3 };

/// Nothing, or a value of a column. The text is the caller's.
using TableCell = std::variant<std::monostate, std::int64_t, double, bool, std::string_view>;

/// Nothing for a value that is not there.
inline TableCell cell_of(const std::optional<double>& value) { return value ? TableCell(*value) : TableCell(); }
/// A count or bytes; the largest whole number stands for what is larger.
TableCell whole_cell(std::uint64_t value);
/// Nothing for an empty text.
inline TableCell text_or_nothing(std::string_view text) { return text.empty() ? TableCell() : TableCell(text); }

/// Values are packed, one after the other, so that they pass to a module without a copy.
class TableColumn {
 public:
  /// `unit`: s, B, 1; empty where there is none.
  TableColumn(std::string name, ColumnType type, std::string unit = {});
  void reserve(std::size_t rows);
  /// The cell is empty or of the column's type. A text is copied as valid UTF-8.
  void add(const TableCell& cell);

  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  ColumnType type() const { return type_; }
  std::size_t rows() const { return present_.size(); }
  /// A text is the column's own.
  TableCell at(std::size_t row) const;

  /// 1 for a value, 0 for an empty cell, whose value below is 0 or empty.
  std::span<const std::uint8_t> present() const { return present_; }
  std::span<const std::int64_t> wholes() const { return wholes_; }
  std::span<const double> reals() const { return reals_; }
  std::span<const std::uint8_t> flags() const { return flags_; }
  /// Texts one after the other; text i is [starts[i], starts[i + 1]), so that there is one start more than rows.
  std::string_view texts() const { return texts_; }
  std::span<const std::int64_t> starts() const { return starts_; }

 private:
  std::string name_, unit_;
  ColumnType type_;
  std::vector<std::uint8_t> present_, flags_;
  std::vector<std::int64_t> wholes_, starts_{0};
  std::vector<double> reals_;
  std::string texts_;
};

struct ColumnTable {
  std::string name;                                        // "requests"
  std::vector<TableColumn> columns;                        // all of the same number of rows
  std::vector<std::pair<std::string, std::string>> facts;  // about the table, by key: where it is from

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }
  /// Null: there is no such column.
  const TableColumn* find(std::string_view column) const;
  /// One cell per column, in their order.
  void add_row(std::initializer_list<TableCell> cells);
};

/// A table as the bytes of a file. usage, rejected_input or io: one line.
using EncodeTable = std::function<Expected<std::string>(const ColumnTable& table)>;

}  // namespace kvantage
