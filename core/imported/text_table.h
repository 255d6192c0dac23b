// Rows of a table of others as texts by column: CSV or TSV with a header, a JSON list of objects, or JSON lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline imported {

struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many fields as columns; empty: none
  std::vector<std::string> where;              // of each row, first in messages
};

inline constexpr std::uint64_t max_table_bytes = std::uint64_t{64} << 20;
inline constexpr std::size_t max_table_rows = 1'000'000, max_table_columns = 1'000, max_table_fields = 4'000'000;

/// rejected_input for what is no text, a row of another length, and too many rows or columns.
Expected<TextTable> table_of_csv(std::string_view text, const std::string& name);
/// Of a list of objects; a column is a field of any of them.
Expected<TextTable> table_of_json(const Json& list, const std::string& name);
/// Of whichever a text is.
Expected<TextTable> table_of_text(const std::string& text, const std::string& name);

/// What a reader needs of a table, the names that are taken for it, and its column.
struct WantedColumn {
  std::string_view key;
  std::vector<std::string_view> names;  // besides the key, without case, blanks, hyphens and underscores
  std::optional<std::size_t> column = {};
};

/// Which column is what: "quality=score,method=press". An empty column: the table has none, whatever its names.
using ColumnMap = std::vector<std::pair<std::string, std::string>>;
/// usage error for a key that is none of `wanted`, one that is given twice, and another form.
Expected<ColumnMap> read_column_map(std::string_view text, const std::vector<WantedColumn>& wanted);
/// Fills the columns: as mapped, else by name. rejected_input for a mapped column that the table lacks.
Status find_columns(const TextTable& table, const ColumnMap& map, std::vector<WantedColumn>& wanted,
                    const std::string& name);

/// The first 20 names, for messages: "task, press and 12 more".
std::string column_list(const std::vector<std::string>& columns);

/// A finite number of a field; rejected_input names row and column.
Expected<double> number_of(const TextTable& table, std::size_t row, std::size_t column);

}  // namespace kvantage::inline imported
