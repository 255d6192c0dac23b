// The one JSON layer: nlohmann-json behind readers that return errors with the name of the file and the field.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Parses text; `name` (a path or "line 12 of f.jsonl") stands first in the message. rejected_input on failure.
Expected<Json> parse_json(std::string_view text, const std::string& name);
Expected<Json> read_json_file(const std::filesystem::path& path);

/// Refuses fields that are not in `known`, by name and with a near miss if there is one. rejected_input.
Status refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known,
                             const std::string& name);

/// Field `key` as T, or rejected_input that names the field and what was expected.
template <class T>
Expected<T> json_field(const Json& object, const std::string& key, const std::string& name) {
  if (!object.is_object() || !object.contains(key))
    return fail(ErrorCode::rejected_input, name + ": field '" + key + "' is missing; add it");
  try {
    return object.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::rejected_input, name + ": field '" + key + "' has the wrong type (" +
                                               object.at(key).type_name() + "); correct its value");
  }
}
/// As json_field, but `fallback` when the field is absent or null.
template <class T>
Expected<T> json_field_or(const Json& object, const std::string& key, const std::string& name, T fallback) {
  if (!object.is_object() || !object.contains(key) || object.at(key).is_null()) return fallback;
  return json_field<T>(object, key, name);
}

/// The entry of `known` nearest to `word` (edit distance at most 3), or empty: for "did you mean" hints.
std::string near_miss(std::string_view word, std::span<const std::string_view> known);

}  // namespace kvantage
