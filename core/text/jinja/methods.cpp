#include "core/text/jinja/methods.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/find_text.h"
#include "core/base/json.h"
#include "core/text/jinja/loop.h"
#include "core/text/jinja/output.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

using MethodNames = std::span<const std::string_view>;

bool is_one_of(std::string_view name, MethodNames names) { return std::ranges::find(names, name) != names.end(); }

/// Of Python's str, apart from those with underscores.
constexpr auto text_methods = std::to_array<std::string_view>(
    {"capitalize", "casefold",     "center",       "count",   "encode",     "endswith",    "expandtabs",
     "find",       "format",       "format_map",   "index",   "isalnum",    "isalpha",     "isascii",
     "isdecimal",  "isdigit",      "isidentifier", "islower", "isnumeric",  "isprintable", "isspace",
     "istitle",    "isupper",      "join",         "ljust",   "lower",      "lstrip",      "maketrans",
     "partition",  "removeprefix", "removesuffix", "replace", "rfind",      "rindex",      "rjust",
     "rpartition", "rsplit",       "rstrip",       "split",   "splitlines", "startswith",  "strip",
     "swapcase",   "title",        "translate",    "upper",   "zfill"});
constexpr auto list_methods = std::to_array<std::string_view>(
    {"append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"});
constexpr auto map_methods = std::to_array<std::string_view>(
    {"clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"});
constexpr auto changing = std::to_array<std::string_view>(
    {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update"});

std::vector<JinjaValue> values_of(const std::vector<std::string>& texts) {
  std::vector<JinjaValue> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.push_back(JinjaValue::text(text));
  return values;
}

/// A call of a method of a text.
struct TextCall {
  const std::string& text;
  const std::string& name;
  const JinjaArguments& arguments;
  JinjaBudget& budget;
  std::string what;

  Expected<JinjaBound> bound(std::initializer_list<const char*> names, std::size_t required) const {
    return JinjaBound::bind(arguments, names, required, what);
  }
};

Expected<JinjaValue> stripped(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"chars"}, 0));
  KV_ASSIGN(const std::string characters, bound.text(0, ""));
  KV_TRY(call.budget.take_text(call.text.size() * (1 + characters.size())));
  const bool all = !bound.has(0) || bound.value(0).is_none();
  return JinjaValue::text(std::string(py_strip(call.text, call.name != "rstrip", call.name != "lstrip",
                                               all ? std::nullopt : std::optional<std::string_view>(characters))));
}

Expected<JinjaValue> split(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"sep", "maxsplit"}, 0));
  KV_ASSIGN(const std::string separator, bound.text(0, ""));
  KV_ASSIGN(const std::int64_t most, bound.integer(1, -1));
  const bool spaces = !bound.has(0) || bound.value(0).is_none();
  if (!spaces && separator.empty()) return jinja_refuse("split() at an empty text");
  KV_TRY(call.budget.take(1 + call.text.size()));
  return JinjaValue::list(values_of(py_split(
      call.text, spaces ? std::nullopt : std::optional<std::string_view>(separator), most, call.name == "rsplit")));
}

/// startswith and endswith: a text, or a tuple of texts.
Expected<JinjaValue> begins_or_ends(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"prefix"}, 1));
  std::vector<JinjaValue> sought{bound.value(0)};
  if (const JinjaList* const list = sought.front().as_list(); list != nullptr && list->kind == JinjaList::Kind::tuple)
    sought = std::vector<JinjaValue>(list->items);
  for (const JinjaValue& one : sought) {
    const std::string* const part = one.as_text();
    if (part == nullptr) return jinja_refuse(call.what + " is called with " + one.kind_name());
    if (call.name == "startswith" ? call.text.starts_with(*part) : call.text.ends_with(*part))
      return JinjaValue::boolean(true);
  }
  return JinjaValue::boolean(false);
}

Expected<JinjaValue> found_at(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"sub"}, 1));
  KV_ASSIGN(const std::string sought, bound.text(0, ""));
  KV_TRY(call.budget.take_text(call.text.size()));
  if (call.name == "count") return JinjaValue::integer(static_cast<std::int64_t>(py_count(call.text, sought)));
  const bool last = call.name == "rfind" || call.name == "rindex";
  const std::size_t at = last ? call.text.rfind(sought) : sought.empty() ? 0 : find_text(call.text, sought);
  if (at == std::string::npos) {
    if (call.name == "index" || call.name == "rindex") return jinja_refuse(call.what + ": the text is not found");
    return JinjaValue::integer(-1);
  }
  return JinjaValue::integer(static_cast<std::int64_t>(character_count(std::string_view(call.text).substr(0, at))));
}

Expected<JinjaValue> replaced(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"old", "new", "count"}, 2));
  KV_ASSIGN(const std::string from, bound.text(0, ""));
  KV_ASSIGN(const std::string to, bound.text(1, ""));
  KV_ASSIGN(const std::int64_t most, bound.integer(2, -1));
  KV_TRY(call.budget.take_text(call.text.size()));
  KV_TRY(call.budget.take_text(py_replaced_bytes(call.text, from, to, most)));
  return JinjaValue::text(py_replace(call.text, from, to, most));
}

Expected<JinjaValue> parted(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"sep"}, 1));
  KV_ASSIGN(const std::string separator, bound.text(0, ""));
  if (separator.empty()) return jinja_refuse(call.what + " at an empty text");
  const bool last = call.name == "rpartition";
  const std::size_t at = last ? call.text.rfind(separator) : find_text(call.text, separator);
  std::vector<std::string> parts{call.text, "", ""};
  if (at != std::string::npos)
    parts = {call.text.substr(0, at), separator, call.text.substr(at + separator.size())};
  else if (last)
    parts = {"", "", call.text};
  return JinjaValue::list(values_of(parts), JinjaList::Kind::tuple);
}

Expected<JinjaValue> joined(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"iterable"}, 1));
  KV_ASSIGN(const auto items, jinja_items(bound.value(0), call.budget));
  std::string whole;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string* const text = items[i].as_text();
    if (text == nullptr) return jinja_refuse(call.what + ": an item is " + items[i].kind_name());
    KV_TRY(call.budget.take_text(call.text.size() + text->size()));
    if (i > 0) whole += call.text;
    whole += *text;
  }
  return JinjaValue::text(std::move(whole));
}

Expected<JinjaValue> padded(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"width", "fillchar"}, 1));
  KV_ASSIGN(const std::int64_t width, bound.integer(0, 0));
  KV_ASSIGN(const std::string fill, bound.text(1, call.name == "zfill" ? "0" : " "));
  if (character_count(fill) != 1) return jinja_refuse(call.what + " is filled with more than a character");
  const auto size = static_cast<std::int64_t>(character_count(call.text));
  if (width <= size) return JinjaValue::text(call.text);
  const auto room = static_cast<std::uint64_t>(width - size);
  KV_TRY(call.budget.take_text(room > (1U << 30) ? UINT64_MAX / 2 : call.text.size() + room * fill.size()));
  std::string space;
  for (std::uint64_t i = 0; i < room; ++i) space += fill;
  if (call.name == "ljust") return JinjaValue::text(call.text + space);
  const bool has_sign = call.name == "zfill" && (call.text.starts_with('-') || call.text.starts_with('+'));
  return JinjaValue::text(has_sign ? call.text[0] + space + call.text.substr(1) : space + call.text);
}

Expected<JinjaValue> without_affix(const TextCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"affix"}, 1));
  KV_ASSIGN(const std::string affix, bound.text(0, ""));
  std::string_view rest = call.text;
  if (call.name == "removeprefix" && rest.starts_with(affix)) rest.remove_prefix(affix.size());
  if (call.name == "removesuffix" && rest.ends_with(affix)) rest.remove_suffix(affix.size());
  return JinjaValue::text(std::string(rest));
}

/// str.format with fields that only name an argument: {}, {0} and {name}.
Expected<JinjaValue> formatted(const TextCall& call) {
  const std::string& form = call.text;
  std::string made;
  std::size_t automatic = 0;
  bool is_numbered = false;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const char sign = form[at];
    if (sign != '{' && sign != '}') {
      made += sign;
      continue;
    }
    if (at + 1 < form.size() && form[at + 1] == sign) {  // doubled
      made += form[at++];
      continue;
    }
    const std::size_t end = form.find('}', at);
    if (sign == '}' || end == std::string::npos) return jinja_refuse(call.what + ": a brace has no other");
    const std::string name = form.substr(at + 1, end - at - 1);
    if (!std::ranges::all_of(name, [](char c) {
          return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        }))
      return jinja_refuse(call.what + ": the field '{" + printable(name) + "}' is not supported");
    std::size_t number = call.arguments.positional.size();
    if (name.empty()) {
      if (is_numbered) return jinja_refuse(call.what + ": the field '{}' follows a numbered one");
      number = automatic++;
    } else if (name.front() >= '0' && name.front() <= '9') {
      if (automatic > 0 || name.size() > 3 || name.find_first_not_of("0123456789") != std::string::npos)
        return jinja_refuse(call.what + ": the field '{" + printable(name) + "}' is not supported");
      number = static_cast<std::size_t>(std::stoi(name));
      is_numbered = true;
    }
    const auto named = std::ranges::find(call.arguments.named, name, [](const auto& one) { return one.first; });
    const bool by_name = !name.empty() && named != call.arguments.named.end();
    if (!by_name && number >= call.arguments.positional.size())
      return jinja_refuse(call.what + ": the field '{" + printable(name) + "}' has no argument");
    KV_ASSIGN(const std::string text,
              jinja_text_of(by_name ? named->second : call.arguments.positional[number], call.budget));
    KV_TRY(call.budget.take_text(text.size()));
    made += text;
    at = end;
  }
  return JinjaValue::text(std::move(made));
}

/// Methods without arguments.
Expected<JinjaValue> plain_method(const TextCall& call) {
  const std::string& text = call.text;
  if (call.name == "upper") return JinjaValue::text(py_upper(text));
  if (call.name == "lower") return JinjaValue::text(lower_case(text));
  if (call.name == "capitalize") return JinjaValue::text(py_capitalize(text));
  if (call.name == "title") return JinjaValue::text(py_title(text));
  if (call.name == "isdigit") return JinjaValue::boolean(py_all(text, is_py_digit));
  if (call.name == "isalpha") return JinjaValue::boolean(py_all(text, is_py_letter));
  if (call.name == "isalnum") return JinjaValue::boolean(py_all(text, is_py_letter_or_number));
  if (call.name == "isspace") return JinjaValue::boolean(py_all(text, is_py_space));
  if (call.name == "isupper") return JinjaValue::boolean(py_is_upper(text));
  if (call.name == "islower") return JinjaValue::boolean(py_is_lower(text));
  return jinja_refuse(call.what + " is not supported");
}

Expected<JinjaValue> call_text(const TextCall& call) {
  using Handler = Expected<JinjaValue> (*)(const TextCall&);
  static constexpr std::array<std::pair<std::string_view, Handler>, 22> handlers{{
      {"strip", stripped},
      {"lstrip", stripped},
      {"rstrip", stripped},
      {"split", split},
      {"rsplit", split},
      {"startswith", begins_or_ends},
      {"endswith", begins_or_ends},
      {"find", found_at},
      {"rfind", found_at},
      {"index", found_at},
      {"rindex", found_at},
      {"count", found_at},
      {"replace", replaced},
      {"partition", parted},
      {"rpartition", parted},
      {"join", joined},
      {"ljust", padded},
      {"rjust", padded},
      {"zfill", padded},
      {"removeprefix", without_affix},
      {"removesuffix", without_affix},
      {"format", formatted},
  }};
  KV_TRY(call.budget.take_text(call.text.size()));
  for (const auto& [name, handler] : handlers)
    if (call.name == name) return handler(call);
  if (call.name == "splitlines") {
    KV_ASSIGN(const auto bound, call.bound({"keepends"}, 0));
    return JinjaValue::list(values_of(py_splitlines(call.text, bound.flag(0, false))));
  }
  KV_TRY(call.bound({}, 0));
  return plain_method(call);
}

Expected<JinjaValue> call_map(const JinjaMap& map, const std::string& name, const JinjaArguments& arguments,
                              const std::string& what) {
  if (name == "get") {
    KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"key", "default"}, 1, what));
    if (const JinjaValue* const value = map.find(bound.value(0))) return *value;
    return bound.has(1) ? bound.value(1) : JinjaValue::none();
  }
  KV_TRY(JinjaBound::bind(arguments, {}, 0, what));
  if (name == "copy") return JinjaValue::map(map.pairs);
  if (name != "items" && name != "keys" && name != "values") return jinja_refuse(what + " is not supported");
  std::vector<JinjaValue> items;
  items.reserve(map.pairs.size());
  for (const auto& [key, value] : map.pairs)
    items.push_back(name == "items"  ? JinjaValue::list({key, value}, JinjaList::Kind::tuple)
                    : name == "keys" ? key
                                     : value);
  return JinjaValue::list(std::move(items), JinjaList::Kind::view);
}

Expected<JinjaValue> call_list(const JinjaList& list, const std::string& name, const JinjaArguments& arguments,
                               const std::string& what, JinjaBudget& budget) {
  if (name == "copy") return JinjaValue::list(list.items);
  if (name != "index" && name != "count") return jinja_refuse(what + " is not supported");
  KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"value"}, 1, what));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (!jinja_equal(list.items[i], bound.value(0), budget)) continue;
    if (name == "index") return JinjaValue::integer(static_cast<std::int64_t>(i));
    ++count;
  }
  KV_TRY(budget.take(0));
  if (name == "index") return jinja_refuse(what + ": the value is not in the list");
  return JinjaValue::integer(count);
}

Expected<JinjaValue> call_loop(const JinjaLoop& loop, const std::string& name, const JinjaArguments& arguments,
                               JinjaBudget& budget) {
  const std::vector<JinjaValue>& given = arguments.positional;
  if (name == "cycle") {
    if (given.empty()) return jinja_refuse("loop.cycle() needs arguments");
    return given[loop.at % given.size()];
  }
  const bool same = std::ranges::equal(
      given, loop.changed, [&](const JinjaValue& a, const JinjaValue& b) { return jinja_equal(a, b, budget); });
  KV_TRY(budget.take(1));
  const bool first = !std::exchange(loop.was_asked, true);
  loop.changed = given;
  return JinjaValue::boolean(first || !same);
}

}  // namespace

bool is_jinja_method(const JinjaValue& object, const std::string& name) {
  if (object.as_text() != nullptr) return is_one_of(name, text_methods);
  if (object.as_map() != nullptr) return is_one_of(name, map_methods);
  if (object.is<std::shared_ptr<const JinjaLoop>>()) return name == "cycle" || name == "changed";
  const JinjaList* const list = object.as_list();
  if (list == nullptr) return false;
  return list->kind == JinjaList::Kind::list    ? is_one_of(name, list_methods)
         : list->kind == JinjaList::Kind::tuple ? name == "index" || name == "count"
                                                : false;
}

Expected<JinjaValue> jinja_call_method(const JinjaFunction& function, const JinjaArguments& arguments,
                                       JinjaBudget& budget) {
  const JinjaValue& object = *function.object;
  const std::string what = "method '" + function.name + "' of " + object.kind_name();
  if (object.as_text() == nullptr && is_one_of(function.name, changing))
    return jinja_refuse(what + " would change it, which templates may not do");
  if (const std::string* const text = object.as_text())
    return call_text({*text, function.name, arguments, budget, what});
  if (const JinjaMap* const map = object.as_map()) {
    KV_TRY(budget.take(map->pairs.size()));
    return call_map(*map, function.name, arguments, what);
  }
  if (object.is<std::shared_ptr<const JinjaLoop>>())
    return call_loop(*object.as<std::shared_ptr<const JinjaLoop>>(), function.name, arguments, budget);
  return call_list(*object.as_list(), function.name, arguments, what, budget);
}

}  // namespace kvantage::inline jinja
