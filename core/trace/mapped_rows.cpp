// Traces in no format of their own: tables, or JSON lines, whose fields are named by a map
// ("time=ts,input=prompt_tokens,output=completion_tokens,context=session") or have known names; columns also by number
// ("time=#1"), as in tables without a header. A time is in seconds, a date, or in the unit that its field ends with
// ("arrival_ms") or that the map says ("time=arrival:ms").
#include <array>
#include <charconv>
#include <limits>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/trace/civil_time.h"
#include "core/trace/csv_rows.h"
#include "core/trace/json_rows.h"
#include "core/trace/line_source.h"
#include "core/trace/row_source.h"
#include "core/trace/trace_map.h"

namespace kvantage::inline trace {
namespace {

/// Where a field is given by number, the position decides; of names the first.
std::size_t position_of(const CsvRows& table, const std::string& field) {
  return trace_column(table.header(), field).value_or(0);
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
        columns_[key] = position_of(*table_, *field);
  }

  Expected<bool> next(TraceRow& row) override {
    const auto there = table_ ? table_->next() : next_line();
    if (!there || !*there) return there;
    ++row_;
    row.request.row = row_;
    if (has(TraceKey::time)) {
      KV_ASSIGN(const auto text, text_of(TraceKey::time));
      auto time = time_.epoch > 0 ? since_epoch(text) : parse_rounded_time(text, time_.nanoseconds);
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
    if (has(TraceKey::blocks)) KV_TRY(read_blocks(row.request.blocks));
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

  /// Of a line of JSON.
  Expected<const Json*> value_of(TraceKey key) const {
    const std::string& field = *field_of(map_, key);
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
    return value;
  }

  /// Empty for null.
  Expected<std::string> text_of(TraceKey key) const {
    if (table_) return table_->field(columns_[static_cast<std::size_t>(key)]);
    KV_ASSIGN(const auto value, value_of(key));
    if (value->is_null()) return std::string();
    return value->is_string() ? value->get<std::string>() : dump_json(*value);
  }

  /// A count of the time's unit, in nanoseconds since 1970; nothing where it is before, or no whole number.
  std::optional<std::int64_t> since_epoch(std::string_view text) const {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < time_.epoch) return {};
    return whole_time(count - time_.epoch, time_.nanoseconds);
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

  /// A list in JSON, or words: "[1, 2]", "1 2", "a1b2;c3d4".
  Status read_blocks(std::vector<std::uint64_t>& blocks) const {
    if (table_) {
      add_block_words(table_->field(columns_[static_cast<std::size_t>(TraceKey::blocks)]), blocks);
      return {};
    }
    KV_ASSIGN(const auto value, value_of(TraceKey::blocks));
    if (!value->is_array()) {
      KV_ASSIGN(const auto text, text_of(TraceKey::blocks));
      add_block_words(text, blocks);
      return {};
    }
    for (const Json& id : *value) {
      if (id.is_number_float())  // what is above 2^64 is read as one, and equals others then
        return refuse(TraceKey::blocks, dump_json(id),
                      "is a block id with decimals, or out of range; give whole numbers up to 2^64 - 1, or texts");
      if (id.is_string())
        blocks.push_back(block_id_of(id.get_ref<const std::string&>()));
      else if (!id.is_null())
        add_block_words(dump_json(id), blocks);
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

/// Fields that a map names and that the file does not have, all of them at once. `where`: of the first line.
Status check_mapped_fields(const FieldMap& map, const TraceFields& fields, const std::string& where) {
  if (const std::string* tokens = field_of(map, TraceKey::block_tokens)) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(tokens->data(), tokens->data() + tokens->size(), number);
    if (error != std::errc() || end != tokens->data() + tokens->size() || number == 0 || number > 65'536)
      return fail(ErrorCode::usage, "--map: block_tokens is a number from 1 to 65536, like block_tokens=16");
  }
  const auto is_there = [&](const std::string& field) {
    return fields.is_table ? trace_column(fields.names, field).has_value()
                           : std::ranges::find(fields.names, field) != fields.names.end();
  };
  std::string absent;
  for (const auto& [key, field] : map.fields) {
    const std::string plain = key == "time" ? time_field_of(field).field : field;
    if (key == "block_tokens" || is_there(plain)) continue;
    const std::size_t colon = key == "time" ? plain.rfind(':') : std::string::npos;
    if (colon != std::string::npos && is_there(plain.substr(0, colon)))
      return fail(ErrorCode::usage, "--map: '" + printable(plain.substr(colon + 1)) +
                                        "' is no unit of time; choose one of " + time_unit_list());
    if (fields.is_table || plain.find('.') == std::string::npos)
      absent += (absent.empty() ? "'" : ", '") + printable(plain) + "' (" + key + ")";
  }
  if (absent.empty()) return {};
  return fail(ErrorCode::rejected_input, where + ": there is no field " + absent +
                                             (fields.has_header ? "; its fields are " + listed_fields(fields.names)
                                                                : ": " + columns_without_names(fields.names.size())));
}

}  // namespace

bool is_mapped(std::string_view first_line) {
  const TraceFields fields = fields_of_trace(first_line, {});
  // Words of a sentence may have known names.
  if (!fields.has_header || (fields.is_table && separator_of(first_line) == ' ')) return false;
  return fields.names.size() >= 2 && missing_trace_fields(completed_trace_map({}, fields.names), false).empty();
}

Expected<std::unique_ptr<RowSource>> open_mapped(Stream stream, const std::string& name, const TraceOptions& options) {
  KV_ASSIGN(const auto given, parse_field_map(options.map, trace_keys));
  KV_ASSIGN(const auto first, first_line_of(stream, name));
  const TraceFields fields = fields_of_trace(first, given);
  const std::string where = name + ":1";
  if (fields.names.empty())
    return fail(ErrorCode::rejected_input, where + ": has no fields; give a table, or JSON lines of objects");
  const FieldMap map = completed_trace_map(given, fields.names);
  if (const std::string missing = missing_trace_fields(map, !given.empty()); !missing.empty())
    return fail(ErrorCode::rejected_input,
                where + ": no field is known to hold " + missing +
                    (fields.has_header ? " (its fields: " + listed_fields(fields.names) +
                                             "); name it with --map time=FIELD,input=FIELD,output=FIELD"
                                       : ": " + columns_without_names(fields.names.size())));
  KV_TRY(check_mapped_fields(map, fields, where));
  if (!fields.is_table)
    return std::make_unique<MappedRows>(std::nullopt, LineSource(std::move(stream), name), map, options);
  KV_ASSIGN(auto table, CsvRows::open(std::move(stream), name, fields.has_header));
  return std::make_unique<MappedRows>(std::move(table), LineSource(nullptr, name), map, options);
}

}  // namespace kvantage::inline trace
