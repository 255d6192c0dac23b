// One list of members drives both directions of a struct's JSON form, so that writing, reading and the rejection of
// unknown fields stay consistent. A struct opts in by specializing JsonFields with a tuple of json_member(...); an enum
// specializes JsonNames. Reading is strict: integers must be whole and in range, and every field is required unless the
// caller asks for defaults. NaN and infinity are written as null and read as NaN.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/json.h"

namespace kvantage {

template <class Struct, class Value>
struct JsonMember {
  std::string_view name;
  Value Struct::*member;
  bool may_be_absent = false;
};
template <class Struct, class Value>
constexpr JsonMember<Struct, Value> json_member(std::string_view name, Value Struct::*member) {
  return {name, member};
}

/// A member added after the first file version: it keeps its default where absent. A std::optional without a value is
/// not written.
template <class Struct, class Value>
constexpr JsonMember<Struct, Value> json_added(std::string_view name, Value Struct::*member) {
  return {name, member, true};
}

/// Specialize: `static constexpr auto list = std::tuple(json_member("alpha", &T::alpha), ...);`
template <class T>
struct JsonFields;
/// Specialize for enums: `static constexpr std::array<std::pair<T, std::string_view>, N> list`.
template <class T>
struct JsonNames;

template <class T>
concept JsonStruct = requires {
  JsonFields<T>::list;
};
template <class T>
concept JsonEnum = std::is_enum_v<T> && requires {
  JsonNames<T>::list;
};

/// Specialize for a struct that is stored as another struct: `using File = ...;`, `static File to_file(const T&)` and
/// `static Expected<T> from_file(const File&, const std::string& name)`.
template <class T>
struct JsonProxy;

template <class T>
concept JsonProxied = requires {
  typename JsonProxy<T>::File;
};

enum class AbsentFields : bool { refused, keep_defaults };

/// Valid UTF-8 for JSON: bytes outside a well-formed sequence become U+FFFD (a token may end in the middle of a
/// character).
std::string valid_utf8(std::string_view text);

namespace json_fields_detail {
inline tl::unexpected<Error> wrong_type(const Json& json, const std::string& name, const char* wanted) {
  return fail(ErrorCode::rejected_input,
              name + ": expected " + wanted + ", found " + json.type_name() + "; correct its value");
}
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsStringMap : std::false_type {};
template <class T>
struct IsStringMap<std::map<std::string, T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
Status read_integer(const Json& json, T& value, const std::string& name) {
  if (!json.is_number_integer()) return wrong_type(json, name, "a whole number");
  if (json.is_number_unsigned() ? !std::in_range<T>(json.get<std::uint64_t>())
                                : !std::in_range<T>(json.get<std::int64_t>()))
    return fail(ErrorCode::rejected_input, name + ": " + dump_json(json) + " is out of range; correct its value");
  value = json.get<T>();
  return {};
}
}  // namespace json_fields_detail

/// The JSON form of a value made of structs with JsonFields, enums with JsonNames, strings, numbers, digests (hex),
/// vectors and string-keyed maps of these; members of structs may be optional.
template <class T>
Json json_from(const T& value) {
  namespace detail = json_fields_detail;
  if constexpr (std::same_as<T, Json> || std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (std::same_as<T, std::string>) {
    return valid_utf8(value);
  } else if constexpr (std::same_as<T, Digest128>) {
    return value.hex();
  } else if constexpr (JsonEnum<T>) {
    for (const auto& [known, text] : JsonNames<T>::list)
      if (known == value) return std::string(text);
    return nullptr;
  } else if constexpr (detail::IsVector<T>::value) {
    Json json = Json::array();
    for (const auto& item : value) json.push_back(json_from(item));
    return json;
  } else if constexpr (detail::IsStringMap<T>::value) {
    Json json = Json::object();
    for (const auto& [key, item] : value) json[valid_utf8(key)] = json_from(item);
    return json;
  } else if constexpr (JsonProxied<T>) {
    return json_from(JsonProxy<T>::to_file(value));
  } else {
    static_assert(JsonStruct<T>, "specialize JsonFields for this struct");
    Json json = Json::object();
    const auto write_one = [&](const auto& one) {
      const auto& held = value.*one.member;
      if constexpr (detail::IsOptional<std::remove_cvref_t<decltype(held)>>::value) {
        if (held) json[std::string(one.name)] = json_from(*held);
      } else {
        json[std::string(one.name)] = json_from(held);
      }
    };
    std::apply([&](const auto&... field) { (write_one(field), ...); }, JsonFields<T>::list);
    return json;
  }
}

/// Reads what json_from wrote. rejected_input names `name` and the path of the field.
template <class T>
Status json_into(const Json& json, T& value, const std::string& name, AbsentFields absent = AbsentFields::refused) {
  namespace detail = json_fields_detail;
  if constexpr (std::same_as<T, Json>) {
    value = json;
    return {};
  } else if constexpr (std::same_as<T, bool>) {
    if (!json.is_boolean()) return detail::wrong_type(json, name, "true or false");
    value = json.get<bool>();
    return {};
  } else if constexpr (std::integral<T>) {
    return detail::read_integer(json, value, name);
  } else if constexpr (std::floating_point<T>) {
    if (!json.is_number() && !json.is_null()) return detail::wrong_type(json, name, "a number");
    value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
    return {};
  } else if constexpr (std::same_as<T, std::string>) {
    if (!json.is_string()) return detail::wrong_type(json, name, "a string");
    value = json.get<std::string>();
    return {};
  } else if constexpr (std::same_as<T, Digest128>) {
    if (!json.is_string()) return detail::wrong_type(json, name, "32 hexadecimal digits");
    auto digest = Digest128::from_hex(json.get_ref<const std::string&>());
    if (!digest) return fail(ErrorCode::rejected_input, name + ": " + digest.error().message);
    value = *digest;
    return {};
  } else if constexpr (JsonEnum<T>) {
    std::string known_names;
    for (const auto& [known, text] : JsonNames<T>::list) {
      if (json.is_string() && json.get_ref<const std::string&>() == text) {
        value = known;
        return {};
      }
      known_names += (known_names.empty() ? "" : ", ") + std::string(text);
    }
    return fail(ErrorCode::rejected_input, name + ": is none of " + known_names + "; correct its value");
  } else if constexpr (detail::IsVector<T>::value) {
    if (!json.is_array()) return detail::wrong_type(json, name, "a list");
    value.clear();
    for (std::size_t i = 0; i < json.size(); ++i)
      KV_TRY(json_into(json[i], value.emplace_back(), name + "[" + std::to_string(i) + "]", absent));
    return {};
  } else if constexpr (detail::IsStringMap<T>::value) {
    if (!json.is_object()) return detail::wrong_type(json, name, "an object");
    value.clear();
    for (const auto& [k, item] : json.items()) KV_TRY(json_into(item, value[k], name + "." + printable(k), absent));
    return {};
  } else if constexpr (detail::IsOptional<T>::value) {
    return json_into(json, value.emplace(), name, absent);
  } else if constexpr (JsonProxied<T>) {
    auto file = JsonProxy<T>::to_file(value);
    KV_TRY(json_into(json, file, name, absent));
    KV_ASSIGN(auto read, JsonProxy<T>::from_file(file, name));
    value = std::move(read);
    return {};
  } else {
    static_assert(JsonStruct<T>, "specialize JsonFields for this struct");
    return std::apply(
        [&](const auto&... field) -> Status {
          KV_TRY(refuse_unknown_fields(json, {field.name...}, name));
          Status status;
          const auto read_one = [&](const auto& one) {
            const auto found = json.find(std::string(one.name));
            const std::string path = name + ": " + std::string(one.name);
            if (found != json.end())
              status = json_into(*found, value.*one.member, path, absent);
            else if (absent == AbsentFields::refused && !one.may_be_absent)
              status =
                  fail(ErrorCode::rejected_input, name + ": field '" + std::string(one.name) + "' is missing; add it");
            return status.has_value();
          };
          static_cast<void>((read_one(field) && ...));
          return status;
        },
        JsonFields<T>::list);
  }
}

}  // namespace kvantage
