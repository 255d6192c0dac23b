#include "core/imported/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"
#include "core/base/json.h"

namespace kvantage::inline imported {
namespace {

/// Names as they are compared.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != ' ' && c != '_' && c != '-') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

tl::unexpected<Error> too_many(const std::string& name, const char* what, std::size_t most) {
  return fail(ErrorCode::rejected_input,
              name + ": has more than " + std::to_string(most) + " " + what + "; give a smaller table");
}

/// The fields of a CSV text, record by record (RFC 4180, with line breaks in quotes).
class CsvScan {
 public:
  CsvScan(std::string_view text, char separator) : text_(text), separator_(separator) {}
  bool ended() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }  // that the last record began in
  /// false: a quote is not closed.
  bool next(std::vector<std::string>& fields) {
    fields.clear();
    line_ = lines_ + 1;
    std::string field;
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      lines_ += c == '\n';
      if (quoted) {
        if (c != '"') {
          field += c;
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          field += c;
          ++at_;
        } else {
          quoted = false;
        }
      } else if (c == '"' && field.empty()) {
        quoted = true;
      } else if (c == separator_) {
        fields.push_back(std::move(field));
        field.clear();
      } else if (c == '\n') {
        ++at_;
        break;
      } else if (c != '\r') {
        field += c;
      }
    }
    fields.push_back(std::move(field));
    return !quoted;
  }

 private:
  std::string_view text_;
  char separator_;
  std::size_t at_ = 0, lines_ = 0, line_ = 0;
};

char separator_of(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  char best = ',';
  for (const char c : {'\t', ';', '|'})
    if (std::ranges::count(header, c) > std::ranges::count(header, best)) best = c;
  return best;
}

}  // namespace

Expected<TextTable> table_of_csv(std::string_view text, const std::string& name) {
  constexpr std::size_t looked_at = 1 << 16;
  if (text.substr(0, looked_at).find('\0') != std::string_view::npos)
    return fail(ErrorCode::rejected_input, name + ": is no text; give a table as CSV or JSON");
  KV_TRY(check_utf8(text, name));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  TextTable table;
  CsvScan scan(text, separator_of(text));
  std::vector<std::string> fields;
  while (!scan.ended()) {
    const bool closed = scan.next(fields);
    const std::string where = name + ":" + std::to_string(scan.line());
    if (!closed) return fail(ErrorCode::rejected_input, where + ": a quote is not closed; close it");
    if (fields.size() == 1 && trimmed(fields.front()).empty()) continue;  // an empty line
    for (std::string& field : fields) field = trimmed(field);
    if (table.columns.empty()) {
      if (fields.size() > max_table_columns) return too_many(name, "columns", max_table_columns);
      table.columns = fields;
      continue;
    }
    if (fields.size() != table.columns.size())
      return fail(ErrorCode::rejected_input, where + ": has " + std::to_string(fields.size()) + " fields where the " +
                                                 "header has " + std::to_string(table.columns.size()) +
                                                 "; correct the row");
    if (table.rows.size() == max_table_rows) return too_many(name, "rows", max_table_rows);
    if ((table.rows.size() + 1) * fields.size() > max_table_fields) return too_many(name, "fields", max_table_fields);
    table.rows.push_back(fields);
    table.where.push_back(where);
  }
  if (table.rows.empty())
    return fail(ErrorCode::rejected_input, name + ": has no rows; give a table with a header and rows");
  return table;
}

Expected<TextTable> table_of_json(const Json& list, const std::string& name) {
  TextTable table;
  std::unordered_map<std::string, std::size_t> places;
  if (!list.is_array() || list.empty())
    return fail(ErrorCode::rejected_input, name + ": is no list of objects; give one object for each row");
  if (list.size() > max_table_rows) return too_many(name, "rows", max_table_rows);
  table.rows.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    table.where.push_back(name + "[" + std::to_string(i) + "]");
    if (!list[i].is_object())
      return fail(ErrorCode::rejected_input, table.where.back() + ": is no object; give fields by name");
    auto& row = table.rows.emplace_back();
    for (const auto& [key, value] : list[i].items()) {
      const auto [at, added] = places.emplace(key, places.size());
      if (added) table.columns.push_back(key);
      if (table.columns.size() > max_table_columns) return too_many(name, "columns", max_table_columns);
      if (row.size() <= at->second) row.resize(at->second + 1);
      if (value.is_string())
        row[at->second] = value.get<std::string>();
      else if (!value.is_null())
        row[at->second] = dump_json(value);
    }
  }
  if (table.rows.size() * table.columns.size() > max_table_fields) return too_many(name, "fields", max_table_fields);
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

Expected<TextTable> table_of_text(const std::string& text, const std::string& name) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return fail(ErrorCode::rejected_input, name + ": is empty; give a table");
  if (text[first] != '{' && text[first] != '[') return table_of_csv(text, name);
  if (text[first] == '[') {
    KV_ASSIGN(const auto json, parse_json(text, name));
    return table_of_json(json, name);
  }
  Json list = Json::array();
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view one = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (one.empty() || one == "\r") continue;
    if (list.size() == max_table_rows) return too_many(name, "rows", max_table_rows);
    KV_ASSIGN(auto json, parse_json(one, name + ":" + std::to_string(line + 1)));
    list.push_back(std::move(json));
  }
  return table_of_json(list, name);
}

Expected<ColumnMap> read_column_map(std::string_view text, const std::vector<WantedColumn>& wanted) {
  ColumnMap map;
  if (trimmed(text).empty()) return map;
  for (const std::string_view piece : split_outside_parentheses(text, ',')) {
    const auto equals = piece.find('=');
    const std::string key(trimmed(piece.substr(0, equals)));
    if (equals == std::string_view::npos || trimmed(piece.substr(equals + 1)).empty())
      return fail(ErrorCode::usage,
                  "--map: '" + printable(piece) + "' is not KEY=COLUMN; write it like quality=score,method=press");
    if (std::ranges::find(wanted, key, &WantedColumn::key) == wanted.end())
      return fail(ErrorCode::usage,
                  "--map: unknown key '" + printable(key) + "'; " + did_you_mean(key, wanted, {}, &WantedColumn::key));
    if (std::ranges::find(map, key, &ColumnMap::value_type::first) != map.end())
      return fail(ErrorCode::usage, "--map: '" + key + "' is given twice; give it once");
    map.emplace_back(key, trimmed(piece.substr(equals + 1)));
  }
  return map;
}

Status find_columns(const TextTable& table, const ColumnMap& map, std::vector<WantedColumn>& wanted,
                    const std::string& name) {
  const auto place = [&](std::string_view called) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (folded(table.columns[i]) == folded(called)) return i;
    return std::nullopt;
  };
  for (WantedColumn& one : wanted) {
    one.column.reset();
    const auto mapped = std::ranges::find(map, one.key, &ColumnMap::value_type::first);
    if (mapped != map.end()) {
      if (mapped->second.empty()) continue;
      one.column = place(mapped->second);
      if (!one.column)
        return fail(ErrorCode::rejected_input,
                    name + ": has no column '" + printable(mapped->second) + "'; it has " + column_list(table.columns));
      continue;
    }
    one.column = place(one.key);
    for (std::size_t i = 0; i < one.names.size() && !one.column; ++i) one.column = place(one.names[i]);
  }
  return {};
}

std::string column_list(const std::vector<std::string>& columns) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, columns.size()); ++i)
    text += (i > 0 ? ", " : "") + printable(columns[i].substr(0, 60));
  return columns.size() > most ? text + " and " + std::to_string(columns.size() - most) + " more" : text;
}

Expected<double> number_of(const TextTable& table, std::size_t row, std::size_t column) {
  const std::string& text = table.rows[row][column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return fail(ErrorCode::rejected_input, table.where[row] + ": " + printable(table.columns[column]) + " '" +
                                               printable(std::string_view(text).substr(0, 60)) +
                                               "' is not a number; correct it");
  return value;
}

}  // namespace kvantage::inline imported
