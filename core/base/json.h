// The only JSON layer: nlohmann-json behind readers whose errors name the file and the field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace kvantage {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// A name from a file, escaped for a one-line message: as in a JSON string, without the quotes.
std::string printable(std::string_view text);

/// The JSON text; `indent` below 0: on one line. Texts of others may hold bytes that are no UTF-8: they are replaced,
/// where the library's own dump() throws.
std::string dump_json(const Json& json, int indent = -1);
std::string dump_json(const OrderedJson& json, int indent = -1);

/// Parses text; `name` (a path or "line 12 of f.jsonl") comes first in the message. rejected_input on failure.
Expected<Json> parse_json(std::string_view text, const std::string& name);
/// rejected_input where `text` is not UTF-8; how to convert it is in the message.
Status check_utf8(std::string_view text, const std::string& name);
/// rejected_input where `text` nests deeper than parse_json() reads.
Status check_json_depth(std::string_view text, const std::string& name);
Expected<Json> read_json_file(const std::filesystem::path& path);

/// Rejects fields that are not in `known`, by name and with a near miss if there is one. rejected_input.
Status refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known,
                             const std::string& name);

/// Of a list that is longer than it may be: for limits that hold before anything is made of its elements.
std::string too_long(std::size_t elements, std::size_t most);
/// rejected_input where `object` has a list `key` of more than `most` elements.
Status check_length(const Json& object, const std::string& key, std::size_t most, const std::string& name);

/// Field `key` as T, or rejected_input that names the field and what was expected.
template <class T>
Expected<T> json_field(const Json& object, const std::string& key, const std::string& name) {
  if (!object.is_object() || !object.contains(key))
    return fail(ErrorCode::rejected_input, name + ": field '" + printable(key) + "' is missing; add it");
  const Json& value = object.at(key);
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input, name + ": field '" + printable(key) + "' " + reason + "; correct its value");
  };
  const std::string wrong_type = std::string("has the wrong type (") + value.type_name() + ")";
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {  // the library would wrap or truncate silently
    if (!value.is_number_integer()) return refuse(value.is_number() ? "is not a whole number" : wrong_type);
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : std::in_range<T>(value.get<std::int64_t>());
    if (!fits) return refuse("is out of range");
  }
  try {
    return value.get<T>();
  } catch (const nlohmann::json::exception&) {
    return refuse(wrong_type);
  }
}
/// As json_field, but `fallback` when the field is absent or null.
template <class T>
Expected<T> json_field_or(const Json& object, const std::string& key, const std::string& name, T fallback) {
  if (!object.is_object() || !object.contains(key) || object.at(key).is_null()) return fallback;
  return json_field<T>(object, key, name);
}

/// Field `key` of `object`, which holds it: a copy of a large one would take as much memory again. rejected_input as
/// json_field.
Expected<const Json*> json_value(const Json& object, const std::string& key, const std::string& name);
/// The same, of a list.
Expected<const Json*> json_list(const Json& object, const std::string& key, const std::string& name);

/// About the bytes that the values of a text take once they are parsed, and the text.
std::uint64_t parsed_json_bytes(std::string_view text);

/// What several texts may take together, where all of their values are held at once.
class JsonBudget {
 public:
  static constexpr std::uint64_t max_bytes = std::uint64_t{640} << 20;
  /// rejected_input naming `name` where the values of `text`, and `more` bytes held with them, no longer fit.
  Status take(std::string_view text, const std::string& name, std::uint64_t more = 0);

 private:
  std::uint64_t taken_ = 0;
};

/// The entry of `known` nearest to `word` (edit distance at most 3, under half of the longer one), or empty: for "did
/// you mean" hints.
std::string near_miss(std::string_view word, std::span<const std::string_view> known);

}  // namespace kvantage
