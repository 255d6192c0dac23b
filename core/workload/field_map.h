// Which field of a file of others holds what a reader needs: "context=input,question=instructions,answers=outputs".
// Data sets (core/workload/datasets) and traces (core/trace) read one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline workload {

struct FieldMap {
  std::vector<std::pair<std::string, std::string>> fields;  // what is needed, and the field of the file

  /// Null: it is not mapped.
  const std::string* find(std::string_view key) const;
  void set(std::string_view key, std::string field);
  bool empty() const { return fields.empty(); }
  /// As it is written: "context=input,question=instructions".
  std::string text() const;
};

/// usage error for a key that is none of `keys`, one that is given twice, and for a text of another form. A field in
/// double quotes may hold commas.
Expected<FieldMap> parse_field_map(std::string_view text, std::span<const std::string_view> keys);

/// Names as they are compared: lower case, without blanks, hyphens and underscores.
std::string folded_field(std::string_view name);

/// Whether a cell of a table is a value rather than the name of a column: a number, a date, a time of day.
bool is_cell_value(std::string_view cell);

/// What a file without names of columns looks like, by its first line: "plain numbers, one a line" or "a log, its
/// values separated by blanks"; empty: neither.
std::string_view shape_of_line(std::string_view line);

/// Names in one line for a message: "a, b, c", at most `most` of them, then how many more there are.
std::string listed_fields(std::span<const std::string> names, std::size_t most = 20);

}  // namespace kvantage::inline workload
