#include "core/trace/trace_map.h"

#include <algorithm>
#include <charconv>

#include "core/base/json.h"
#include "core/trace/csv_rows.h"

namespace kvantage::inline trace {
namespace {

struct KnownNames {
  TraceKey key;
  std::array<std::string_view, 16> names;  // as folded_field() has them
};
constexpr std::array<KnownNames, 6> known_names{
    {{TraceKey::time,
      {"timestamp", "arrivedat", "arrivaltime", "arrivaltimestamp", "arrival", "requesttime", "starttime", "time", "ts",
       "arrivals", "sendtime", "date", "datetime", "createdat", "t"}},
     {TraceKey::input,
      {"inputtokens", "inputlength", "inputlen", "prompttokens", "promptlength", "promptlen", "contexttokens",
       "requesttokens", "numprefilltokens", "prefilltokens", "numprompttokens", "inputtoks", "numinputtokens", "isl",
       "prefilllength", "in"}},
     {TraceKey::output,
      {"outputtokens", "outputlength", "outputlen", "completiontokens", "responsetokens", "generatedtokens",
       "numdecodetokens", "decodetokens", "outputtoks", "numoutputtokens", "osl", "decodelength", "responselength",
       "generatedlength", "numcompletiontokens", "out"}},
     {TraceKey::context,
      {"sessionid", "session", "conversationid", "chatid", "contextid", "objectid", "objid", "object", "key", "blockid",
       "prefixid", "promptid", "lbn", "conversation", "userid", "user"}},
     {TraceKey::blocks,
      {"hashids", "blockhashes", "blockhashids", "blockids", "blocks", "prefixhashes", "prefixblocks", "hashes"}},
     {TraceKey::bytes, {"objsize", "objectsize", "sizebytes", "bytes", "size", "length", "len"}}}};

/// Without the unit that it ends with: "arrival_ms" is an arrival.
std::string_view without_unit(std::string_view name) {
  for (const std::string_view unit : {"_ns", "_us", "_ms", "_s"})
    if (name.ends_with(unit) && name.size() > unit.size()) return name.substr(0, name.size() - unit.size());
  return name;
}

struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
  std::uint64_t epoch = 0;  // as in TimeField
};
/// "filetime": of Windows, 100 ns since 1601, as traces of disks have it.
constexpr std::array<TimeUnit, 5> time_units{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"filetime", 100, 116'444'736'000'000'000}}};

/// Of "#2"; nothing: it is no number of a column.
std::optional<std::size_t> column_number(std::string_view field) {
  if (!field.starts_with('#')) return {};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(field.data() + 1, field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size() || number == 0) return {};
  return number;
}

/// Whether the cells of a first line are names, by a map or by themselves. A number is nobody's name.
bool names_cells(const FieldMap& given, const std::vector<std::string>& cells) {
  for (const auto& [key, field] : given.fields) {
    const std::string plain = key == "time" ? time_field_of(field).field : field;
    if (key != "block_tokens" && !is_cell_value(plain) && csv_column(cells, plain)) return true;
  }
  return missing_trace_fields(completed_trace_map({}, cells), false).empty();
}

}  // namespace

const std::string* field_of(const FieldMap& map, TraceKey key) {
  return map.find(trace_keys[static_cast<std::size_t>(key)]);
}

FieldMap completed_trace_map(FieldMap map, const std::vector<std::string>& fields) {
  for (const KnownNames& known : known_names) {
    if (field_of(map, known.key) != nullptr) continue;
    // Bytes stand in for tokens only where there are none.
    if (known.key == TraceKey::bytes && field_of(map, TraceKey::input) != nullptr) continue;
    for (const std::string_view name : known.names) {
      const auto found = std::ranges::find_if(
          fields, [&](const std::string& field) { return !name.empty() && folded_field(without_unit(field)) == name; });
      if (found == fields.end()) continue;
      map.set(trace_keys[static_cast<std::size_t>(known.key)], *found);
      break;
    }
  }
  return map;
}

std::string missing_trace_fields(const FieldMap& map, bool may_lack_time) {
  std::string missing = field_of(map, TraceKey::time) == nullptr && !may_lack_time ? "time" : "";
  if (field_of(map, TraceKey::input) == nullptr && field_of(map, TraceKey::bytes) == nullptr)
    missing += missing.empty() ? "input" : " and input";
  return missing;
}

TimeField time_field_of(const std::string& text) {
  for (const TimeUnit& unit : time_units)
    if (text.ends_with(":" + std::string(unit.name)))
      return {text.substr(0, text.size() - unit.name.size() - 1), unit.nanoseconds, unit.epoch};
  for (const TimeUnit& unit : time_units)
    if (text.ends_with("_" + std::string(unit.name)) || text.ends_with("(" + std::string(unit.name) + ")"))
      return {text, unit.nanoseconds, unit.epoch};
  return {text};
}

std::string time_unit_list() {
  std::string list;
  for (const TimeUnit& unit : time_units) list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return list;
}

TraceFields fields_of_trace(std::string_view first_line, const FieldMap& given) {
  TraceFields fields;
  if (first_line.starts_with('[')) return fields;  // JSON, but no object
  if (first_line.starts_with('{')) {
    const auto json = parse_json(first_line, "");
    if (!json || !json->is_object()) return fields;
    for (const auto& [name, ignored] : json->items()) fields.names.push_back(name);
    return fields;
  }
  fields.is_table = true;
  fields.names = header_columns(first_line);
  if (std::ranges::any_of(fields.names, is_cell_value) && !names_cells(given, fields.names)) {
    fields.has_header = false;
    fields.names = numbered_columns(fields.names.size());
  }
  return fields;
}

std::optional<std::size_t> trace_column(const std::vector<std::string>& columns, std::string_view field) {
  if (const auto named = csv_column(columns, field)) return named;
  const auto number = column_number(field);
  return number && *number <= columns.size() ? std::optional(*number - 1) : std::nullopt;
}

std::string columns_without_names(std::size_t columns) {
  const std::string example =
      columns < 3 ? "input=#2" : "context=#2,bytes=#" + std::to_string(std::min<std::size_t>(columns, 4));
  return "the first line has " + std::to_string(columns) +
         " columns and no names; give their numbers, as in --map time=#1," + example;
}

}  // namespace kvantage::inline trace
