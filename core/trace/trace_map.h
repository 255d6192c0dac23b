// Which field of a trace in no format of its own holds what: the keys of a map, names that are known, and what the
// first line says of the fields. Columns may also be given by number: "#2" is the second.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/field_map.h"

namespace kvantage::inline trace {

enum class TraceKey : std::uint8_t { time, input, output, context, blocks, bytes, block_tokens };
inline constexpr std::array<std::string_view, 7> trace_keys{"time",   "input", "output",      "context",
                                                            "blocks", "bytes", "block_tokens"};

/// Null: it is not mapped.
const std::string* field_of(const FieldMap& map, TraceKey key);

/// What a user's map leaves out, by known names.
FieldMap completed_trace_map(FieldMap map, const std::vector<std::string>& fields);

/// "time and input"; empty: nothing is missing. Bytes stand in for an input.
std::string missing_trace_fields(const FieldMap& map, bool may_lack_time);

/// A field of times with the unit that follows it.
struct TimeField {
  std::string field;
  std::int64_t nanoseconds = 1'000'000'000;
  std::uint64_t epoch = 0;  // units from the clock's zero to 1970
};
/// "arrival:ms" and "arrival_ms"; seconds without a unit.
TimeField time_field_of(const std::string& text);
/// "ns, us, ms, s, ...".
std::string time_unit_list();

/// Fields by the first line of a file.
struct TraceFields {
  std::vector<std::string> names;  // of a table without a header "#1", "#2", ...; empty: it has no fields
  bool is_table = false;
  bool has_header = true;  // else the first line of the table is its first row
};
/// A line with a number or a date among its cells is a row, unless `given`, or known names, name cells of it.
TraceFields fields_of_trace(std::string_view first_line, const FieldMap& given);

/// The position of a column by its name, or by its number.
std::optional<std::size_t> trace_column(const std::vector<std::string>& columns, std::string_view field);

/// Of a table without a header: "the first line has 7 columns and no names; give their numbers, as in --map
/// time=#1,context=#2,bytes=#4".
std::string columns_without_names(std::size_t columns);

}  // namespace kvantage::inline trace
