// Traces in no format of their own: tables with a header, or JSON lines, whose fields are named by a map
// ("time=ts,input=prompt_tokens,output=completion_tokens,context=session") or have known names. A time is in seconds, a
// date, or in the unit that its field ends with ("arrival_ms") or that the map says ("time=arrival:ms").
#include <array>
#include <charconv>
#include <limits>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"
#include "core/workload/field_map.h"

namespace kvantage::inline trace {
namespace {

enum class TraceKey : std::uint8_t { time, input, output, context, blocks, bytes, block_tokens };
constexpr std::array<std::string_view, 7> trace_keys{"time",   "input", "output",      "context",
                                                     "blocks", "bytes", "block_tokens"};

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

const std::string* field_of(const FieldMap& map, TraceKey key) {
  return map.find(trace_keys[static_cast<std::size_t>(key)]);
}

/// Without the unit that it ends with: "arrival_ms" is an arrival.
std::string_view without_unit(std::string_view name) {
  for (const std::string_view unit : {"_ns", "_us", "_ms", "_s"})
    if (name.ends_with(unit) && name.size() > unit.size()) return name.substr(0, name.size() - unit.size());
  return name;
}

/// What a user's map leaves out, by known names.
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

std::vector<std::string> fields_of_line(std::string_view line) {
  std::vector<std::string> fields;
  if (!line.starts_with('{')) return header_columns(line);
  const auto json = parse_json(line, "");
  if (!json || !json->is_object()) return fields;
  for (const auto& [name, ignored] : json->items()) fields.push_back(name);
  return fields;
}

/// "time and input"; empty: nothing is missing.
std::string missing_of(const FieldMap& map, bool may_lack_time) {
  std::string missing = field_of(map, TraceKey::time) == nullptr && !may_lack_time ? "time" : "";
  if (field_of(map, TraceKey::input) == nullptr && field_of(map, TraceKey::bytes) == nullptr)
    missing += missing.empty() ? "input" : " and input";
  return missing;
}

struct TimeUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<TimeUnit, 4> time_units{{{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};

std::string time_unit_list() {
  std::string list;
  for (const TimeUnit& unit : time_units) list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return list;
}

/// A field with the unit that follows it.
struct TimeField {
  std::string field;
  std::int64_t nanoseconds = 1'000'000'000;
};
TimeField time_field_of(const std::string& text) {
  for (const TimeUnit& unit : time_units)
    if (text.ends_with(":" + std::string(unit.name)))
      return {text.substr(0, text.size() - unit.name.size() - 1), unit.nanoseconds};
  for (const TimeUnit& unit : time_units)
    if (text.ends_with("_" + std::string(unit.name)) || text.ends_with("(" + std::string(unit.name) + ")"))
      return {text, unit.nanoseconds};
  return {text};
}

class MappedRows final : public RowSource {
 public:
  /// Of a table, whose columns are looked up once, or of JSON lines.
  MappedRows(std::optional<CsvRows> table, LineSource lines, FieldMap map, const TraceOptions& options)
      : table_(std::move(table)), lines_(std::move(lines)), map_(std::move(map)), options_(options) {
    if (const std::string* time = field_of(map_, TraceKey::time)) {
      time_ = time_field_of(*time);
      map_.set("time", time_.field);
    }
    for (std::size_t key = 0; table_ && key < columns_.size(); ++key)
      if (const std::string* field = field_of(map_, static_cast<TraceKey>(key)))
        columns_[key] = table_->optional_column(*field).value_or(0);
  }

  Expected<bool> next(TraceRow& row) override {
    const auto there = table_ ? table_->next() : next_line();
    if (!there || !*there) return there;
    ++row_;
    row.request.row = row_;
    if (has(TraceKey::time)) {
      KV_ASSIGN(const auto text, text_of(TraceKey::time));
      auto time = parse_rounded_time(text, time_.nanoseconds);
      if (!time) time = parse_civil_time(text);
      if (!time)
        return refuse(TraceKey::time, text,
                      "is no time from 0 to 9 * 10^9 s, and no date; give its unit, as in --map time=" +
                          printable(time_.field) + ":ms, or correct it");
      row.nanoseconds = *time;
    }
    KV_ASSIGN(const auto input, number(has(TraceKey::input) ? TraceKey::input : TraceKey::bytes));
    row.request.input_tokens = has(TraceKey::input) ? input : tokens_of_bytes(input, options_.bytes_per_token);
    if (has(TraceKey::output)) {
      KV_ASSIGN(row.request.output_tokens, number(TraceKey::output));
    }
    row.request.context = own_context(row_);
    if (has(TraceKey::context)) {
      KV_ASSIGN(const auto text, text_of(TraceKey::context));
      if (!text.empty()) row.request.context = digest_of(std::string_view(text)).low;
    }
    if (has(TraceKey::blocks)) {
      KV_ASSIGN(const auto text, text_of(TraceKey::blocks));
      KV_TRY(read_blocks(text, row.request.blocks));
    }
    if (row.request.input_tokens == 0) row.dropped = drop_reason::no_input;
    return true;
  }

  void refine(TraceFacts& facts) const override {
    facts.has_times = has(TraceKey::time);
    facts.names_contexts = has(TraceKey::context);
    facts.names_blocks = has(TraceKey::blocks);
    facts.estimates_tokens = !has(TraceKey::input);
    if (const std::string* tokens = field_of(map_, TraceKey::block_tokens))
      std::from_chars(tokens->data(), tokens->data() + tokens->size(), facts.block_tokens);
  }

 private:
  bool has(TraceKey key) const { return field_of(map_, key) != nullptr; }

  Expected<bool> next_line() {
    std::string_view line;
    const auto there = lines_.next(line);
    if (!there || !*there) return there;
    KV_ASSIGN(json_, parse_json(line, lines_.where()));
    if (!json_.is_object())
      return fail(ErrorCode::rejected_input, lines_.where() + ": expected an object {...}; correct the line");
    return true;
  }

  tl::unexpected<Error> refuse(TraceKey key, std::string_view value, const std::string& reason_and_mend) const {
    const std::string& field = *field_of(map_, key);
    if (table_) return table_->refuse(columns_[static_cast<std::size_t>(key)], reason_and_mend);
    return fail(ErrorCode::rejected_input, lines_.where() + ": field '" + printable(field) + "' '" +
                                               printable(value.substr(0, 60)) + "' " + reason_and_mend);
  }

  /// Empty for null.
  Expected<std::string> text_of(TraceKey key) const {
    const std::string& field = *field_of(map_, key);
    if (table_) return table_->field(columns_[static_cast<std::size_t>(key)]);
    const Json* value = &json_;
    for (std::size_t begin = 0; begin <= field.size();) {  // "usage.prompt_tokens"
      const bool is_whole = begin == 0 && json_.contains(field);
      const std::size_t end = is_whole ? field.size() : std::min(field.find('.', begin), field.size());
      const auto found = value->is_object() ? value->find(field.substr(begin, end - begin)) : value->end();
      if (!value->is_object() || found == value->end())
        return fail(ErrorCode::rejected_input,
                    lines_.where() + ": field '" + printable(field) + "' is missing; add it");
      value = &*found;
      begin = end + 1;
    }
    if (value->is_null()) return std::string();
    return value->is_string() ? value->get<std::string>() : dump_json(*value);
  }

  Expected<std::uint64_t> number(TraceKey key) const {
    KV_ASSIGN(const auto text, text_of(key));
    std::string_view digits = text;
    if (digits.ends_with(".0") && digits.size() > 2) digits.remove_suffix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
      return refuse(key, text, "is not a whole number from 0 on; correct it");
    if (value > std::numeric_limits<std::uint32_t>::max()) return refuse(key, text, "is out of range; correct it");
    return value;
  }

  /// Numbers between anything else: "[1, 2]", "1 2", "1;2".
  Status read_blocks(std::string_view text, std::vector<std::uint64_t>& blocks) const {
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] < '0' || text[at] > '9') {
        ++at;
        continue;
      }
      std::uint64_t id = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), id);
      if (error != std::errc()) return refuse(TraceKey::blocks, text, "holds a number out of range; correct it");
      blocks.push_back(id);
      at = static_cast<std::size_t>(end - text.data());
    }
    return {};
  }

  std::optional<CsvRows> table_;
  LineSource lines_;
  FieldMap map_;
  TraceOptions options_;
  TimeField time_;
  std::array<std::size_t, trace_keys.size()> columns_{};  // of a table
  Json json_;
  std::uint64_t row_ = 0;
};

}  // namespace

std::string missing_for_mapped(std::string_view first_line) {
  const std::vector<std::string> fields = fields_of_line(first_line);
  if (fields.size() < 2) return {};
  const std::string missing = missing_of(completed_trace_map({}, fields), false);
  return missing.empty() ? std::string()
                         : "no field is known to hold " + missing + " (its fields: " + listed_fields(fields) + ")";
}

bool is_data_set(std::string_view first_line) {
  constexpr std::array<std::string_view, 5> names{"question", "questions", "answer", "answers", "context"};
  return std::ranges::any_of(fields_of_line(first_line), [&](const std::string& field) {
    return std::ranges::find(names, folded_field(field)) != names.end();
  });
}

bool is_mapped(std::string_view first_line) {
  const std::vector<std::string> fields = fields_of_line(first_line);
  return fields.size() >= 2 && missing_of(completed_trace_map({}, fields), false).empty();
}

Expected<std::unique_ptr<RowSource>> open_mapped(Stream stream, const std::string& name, const TraceOptions& options) {
  KV_ASSIGN(const auto given, parse_field_map(options.map, trace_keys));
  KV_ASSIGN(const auto first, first_line_of(stream, name));
  const std::vector<std::string> fields = fields_of_line(first);
  const std::string where = name + ":1";
  if (fields.empty())
    return fail(ErrorCode::rejected_input,
                where + ": has no fields; give a table with a header, or JSON lines of objects");
  const FieldMap map = completed_trace_map(given, fields);
  if (const std::string missing = missing_of(map, !given.empty()); !missing.empty())
    return fail(ErrorCode::rejected_input, where + ": no field is known to hold " + missing +
                                               " (its fields: " + listed_fields(fields) +
                                               "); name it with --map time=FIELD,input=FIELD,output=FIELD");
  if (const std::string* tokens = field_of(map, TraceKey::block_tokens)) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(tokens->data(), tokens->data() + tokens->size(), number);
    if (error != std::errc() || end != tokens->data() + tokens->size() || number == 0 || number > 65'536)
      return fail(ErrorCode::usage, "--map: block_tokens is a number from 1 to 65536, like block_tokens=16");
  }
  const bool is_table = !first.starts_with('{');
  const auto is_there = [&](const std::string& field) {
    return is_table ? csv_column(fields, field).has_value() : std::ranges::find(fields, field) != fields.end();
  };
  std::string absent;
  for (const auto& [key, field] : map.fields) {
    const std::string plain = key == "time" ? time_field_of(field).field : field;
    if (key == "block_tokens" || is_there(plain)) continue;
    const std::size_t colon = key == "time" ? plain.rfind(':') : std::string::npos;
    if (colon != std::string::npos && is_there(plain.substr(0, colon)))
      return fail(ErrorCode::usage, "--map: '" + printable(plain.substr(colon + 1)) +
                                        "' is no unit of time; choose one of " + time_unit_list());
    if (is_table || plain.find('.') == std::string::npos)
      absent += (absent.empty() ? "'" : ", '") + printable(plain) + "' (" + key + ")";
  }
  if (!absent.empty())
    return fail(ErrorCode::rejected_input,
                where + ": there is no field " + absent + "; its fields are " + listed_fields(fields));
  if (!is_table) return std::make_unique<MappedRows>(std::nullopt, LineSource(std::move(stream), name), map, options);
  KV_ASSIGN(auto table, CsvRows::open(std::move(stream), name));
  return std::make_unique<MappedRows>(std::move(table), LineSource(nullptr, name), map, options);
}

}  // namespace kvantage::inline trace
