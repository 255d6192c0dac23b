#include "core/workload/field_map.h"

#include <algorithm>

#include "core/base/did_you_mean.h"
#include "core/base/form_text.h"
#include "core/base/json.h"

namespace kvantage::inline workload {
namespace {

/// Parts between commas that are outside of quotes.
std::vector<std::string_view> parts_of_map(std::string_view text) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (text[i] != ',' || quoted)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

const std::string* FieldMap::find(std::string_view key) const {
  const auto found = std::ranges::find(fields, key, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? nullptr : &found->second;
}

void FieldMap::set(std::string_view key, std::string field) {
  const auto found = std::ranges::find(fields, key, &std::pair<std::string, std::string>::first);
  if (found != fields.end())
    found->second = std::move(field);
  else
    fields.emplace_back(key, std::move(field));
}

std::string FieldMap::text() const {
  std::string text;
  for (const auto& [key, field] : fields) text += (text.empty() ? "" : ",") + key + "=" + field;
  return text;
}

Expected<FieldMap> parse_field_map(std::string_view text, std::span<const std::string_view> keys) {
  FieldMap map;
  if (trimmed(text).empty()) return map;
  std::string form;
  for (const std::string_view key : keys.first(std::min<std::size_t>(keys.size(), 3)))
    form += (form.empty() ? "" : ",") + std::string(key) + "=FIELD";
  for (const std::string_view part : parts_of_map(text)) {
    const std::size_t equals = part.find('=');
    const std::string_view key = trimmed(part.substr(0, std::min(equals, part.size())));
    const std::string_view field =
        equals == std::string_view::npos ? std::string_view() : trimmed(part.substr(equals + 1));
    if (key.empty() || field.empty() || std::ranges::count(field, '"') % 2 != 0)
      return fail(ErrorCode::usage, "--map: '" + printable(part) + "' is not KEY=FIELD; write it like " + form);
    if (std::ranges::find(keys, key) == keys.end())
      return fail(ErrorCode::usage, "--map: there is no key '" + printable(key) + "'; " + did_you_mean(key, keys));
    if (map.find(key) != nullptr)
      return fail(ErrorCode::usage, "--map: '" + printable(key) + "' is given twice; remove one");
    map.set(key, std::string(field));
  }
  return map;
}

std::string folded_field(std::string_view name) {
  std::string folded;
  folded.reserve(name.size());
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

bool is_cell_value(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return !cell.empty() && cell[0] >= '0' && cell[0] <= '9' &&
         cell.find_first_not_of("0123456789+-.:/eETZ ") == std::string_view::npos;
}

std::string_view shape_of_line(std::string_view line) {
  line = trimmed(line);
  if (line.find_first_of(",;\t|") != std::string_view::npos) return {};  // a table
  std::size_t words = 0, values = 0;
  bool first = false;
  for (std::size_t at = 0; at < line.size(); ++words) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const bool value = is_cell_value(line.substr(at, end - at));
    values += value ? 1 : 0;
    first = first || (words == 0 && value);
    at = std::min(line.find_first_not_of(' ', end), line.size());
  }
  if (words == 1) return first ? "plain numbers, one a line" : "";
  // A sentence may hold a number or two.
  const bool is_log = values > 0 && (2 * values >= words || (first && values > 1));
  return is_log ? "a log, its values separated by blanks" : "";
}

std::string listed_fields(std::span<const std::string> names, std::size_t most) {
  constexpr std::size_t most_bytes = 400;
  std::string text;
  std::size_t listed = 0;
  for (; listed < std::min(names.size(), most) && text.size() < most_bytes; ++listed)
    text += (text.empty() ? "" : ", ") + printable(names[listed]);
  if (listed < names.size()) text += ", and " + std::to_string(names.size() - listed) + " more";
  return text.empty() ? "none" : text;
}

}  // namespace kvantage::inline workload
