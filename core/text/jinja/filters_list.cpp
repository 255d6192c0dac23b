// Filters of lists and mappings.
#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/json.h"
#include "core/text/jinja/filter_call.h"
#include "core/text/jinja/output.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

/// Texts without their case, unless it counts: what sort, unique, min and max compare.
JinjaValue sort_key(const JinjaValue& value, bool case_sensitive) {
  const std::string* const text = value.as_text();
  return text != nullptr && !case_sensitive ? JinjaValue::text(lower_case(*text)) : value;
}

/// What argument `i`, the name of an attribute, says of the item; the item itself where there is none.
Expected<JinjaValue> attribute_of(const JinjaValue& item, const JinjaBound& bound, std::size_t i, JinjaBudget& budget) {
  if (!bound.has(i) || bound.value(i).is_none()) return item;
  return jinja_path(item, bound.value(i), budget);
}

Expected<std::vector<JinjaValue>> items_of(const JinjaFilterCall& call) { return jinja_items(call.value, call.budget); }

/// The items, ascending by their keys; stable.
Expected<JinjaValue> sorted_list(std::vector<std::pair<JinjaValue, JinjaValue>> keyed, bool reversed,
                                 JinjaBudget& budget) {
  Status failed;
  const auto before = [&](const auto& a, const auto& b) {
    if (!failed) return false;
    const auto order = reversed ? jinja_order(b.first, a.first, budget) : jinja_order(a.first, b.first, budget);
    if (!order) {
      failed = tl::unexpected(order.error());
      return false;
    }
    return *order < 0;
  };
  // Merges of a list of one are none: a comparison that fails leaves some order behind, which is not used.
  std::ranges::stable_sort(keyed, before);
  KV_TRY(budget.take(keyed.size()));
  KV_TRY(failed);
  std::vector<JinjaValue> sorted;
  sorted.reserve(keyed.size());
  for (auto& [key, item] : keyed) sorted.push_back(std::move(item));
  return JinjaValue::list(std::move(sorted));
}

Expected<JinjaValue> sort_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"reverse", "case_sensitive", "attribute"}));
  KV_ASSIGN(const auto items, items_of(call));
  std::vector<std::pair<JinjaValue, JinjaValue>> keyed;
  keyed.reserve(items.size());
  for (const JinjaValue& item : items) {
    KV_ASSIGN(const JinjaValue key, attribute_of(item, bound, 2, call.budget));
    keyed.emplace_back(sort_key(key, bound.flag(1, false)), item);
  }
  return sorted_list(std::move(keyed), bound.flag(0, false), call.budget);
}

Expected<JinjaValue> dictsort_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"case_sensitive", "by", "reverse"}));
  KV_ASSIGN(const std::string by, bound.text(1, "key"));
  const JinjaMap* const map = call.value.as_map();
  if (map == nullptr) return jinja_refuse(call.what + " of " + call.value.kind_name());
  if (by != "key" && by != "value") return jinja_refuse(call.what + ": by must be key or value");
  std::vector<std::pair<JinjaValue, JinjaValue>> keyed;
  keyed.reserve(map->pairs.size());
  for (const auto& [key, value] : map->pairs)
    keyed.emplace_back(sort_key(by == "key" ? key : value, bound.flag(0, false)),
                       JinjaValue::list({key, value}, JinjaList::Kind::tuple));
  return sorted_list(std::move(keyed), bound.flag(2, false), call.budget);
}

Expected<JinjaValue> unique_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"case_sensitive", "attribute"}));
  KV_ASSIGN(const auto items, items_of(call));
  std::vector<JinjaValue> kept, keys;
  for (const JinjaValue& item : items) {
    KV_ASSIGN(JinjaValue key, attribute_of(item, bound, 1, call.budget));
    key = sort_key(key, bound.flag(0, false));
    if (key.as_list() != nullptr || key.as_map() != nullptr)
      return jinja_refuse(call.what + " of " + key.kind_name() + " is not supported");
    if (std::ranges::any_of(keys, [&](const JinjaValue& known) { return jinja_equal(known, key, call.budget); }))
      continue;
    KV_TRY(call.budget.take(1));
    keys.push_back(std::move(key));
    kept.push_back(item);
  }
  return JinjaValue::list(std::move(kept), JinjaList::Kind::iterator);
}

Expected<JinjaValue> extreme_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"case_sensitive", "attribute"}));
  KV_ASSIGN(const auto items, items_of(call));
  JinjaValue best = JinjaValue::undefined("an extreme of nothing"), best_key;
  for (std::size_t i = 0; i < items.size(); ++i) {
    KV_ASSIGN(JinjaValue key, attribute_of(items[i], bound, 1, call.budget));
    key = sort_key(key, bound.flag(0, false));
    KV_ASSIGN(const int order, i == 0 ? Expected<int>(0) : jinja_order(key, best_key, call.budget));
    if (i > 0 && (call.name == "min" ? order >= 0 : order <= 0)) continue;
    best = items[i];
    best_key = std::move(key);
  }
  return best;
}

Expected<JinjaValue> sum_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"attribute", "start"}));
  KV_ASSIGN(const auto items, items_of(call));
  JinjaValue total = bound.has(1) ? bound.value(1) : JinjaValue::integer(0);
  for (const JinjaValue& item : items) {
    KV_ASSIGN(const JinjaValue value, attribute_of(item, bound, 0, call.budget));
    KV_ASSIGN(total, jinja_arithmetic("+", total, value, call.budget));
  }
  return total;
}

Expected<JinjaValue> end_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  const bool first = call.name == "first";
  const JinjaList* const list = call.value.as_list();
  if (list != nullptr && list->kind == JinjaList::Kind::iterator) {
    if (!first) return jinja_refuse(call.what + " of an iterator; use list before it");
    if (list->taken == list->items.size()) return JinjaValue::undefined("the first item of nothing");
    return list->items[list->taken++];
  }
  KV_ASSIGN(const auto items, items_of(call));
  if (items.empty()) return JinjaValue::undefined("an item of nothing");
  return first ? items.front() : items.back();
}

Expected<JinjaValue> length_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(const std::int64_t length, jinja_length(call.value));
  return JinjaValue::integer(length);
}

Expected<JinjaValue> list_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(auto items, items_of(call));
  return JinjaValue::list(std::move(items));
}

Expected<JinjaValue> items_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  std::vector<JinjaValue> items;
  const JinjaMap* const map = call.value.as_map();
  if (map == nullptr && !call.value.is_undefined()) return jinja_refuse(call.what + " of " + call.value.kind_name());
  for (std::size_t i = 0; map != nullptr && i < map->pairs.size(); ++i)
    items.push_back(JinjaValue::list({map->pairs[i].first, map->pairs[i].second}, JinjaList::Kind::tuple));
  return JinjaValue::list(std::move(items), JinjaList::Kind::iterator);
}

Expected<JinjaValue> reverse_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(auto items, items_of(call));
  std::ranges::reverse(items);
  if (call.value.as_text() == nullptr) return JinjaValue::list(std::move(items), JinjaList::Kind::iterator);
  std::string text;
  for (const JinjaValue& item : items) text += *item.as_text();
  return JinjaValue::text(std::move(text));
}

Expected<JinjaValue> join_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"d", "attribute"}));
  KV_ASSIGN(const std::string between, jinja_text_of(bound.value(0), call.budget));
  KV_ASSIGN(const auto items, items_of(call));
  std::string whole;
  for (std::size_t i = 0; i < items.size(); ++i) {
    KV_ASSIGN(const JinjaValue item, attribute_of(items[i], bound, 1, call.budget));
    KV_ASSIGN(const std::string text, jinja_text_of(item, call.budget));
    KV_TRY(call.budget.take_text(between.size()));
    if (i > 0) whole += between;
    whole += text;
  }
  return JinjaValue::text(std::move(whole));
}

Expected<JinjaValue> default_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"default_value", "boolean"}));
  if (!call.value.is_undefined() && (!bound.flag(1, false) || call.value.truth())) return call.value;
  return bound.has(0) ? bound.value(0) : JinjaValue::text("");
}

/// The arguments from the second on, for a filter or test that the first one names.
JinjaArguments rest_of(const JinjaArguments& arguments, std::size_t from) {
  JinjaArguments rest{.positional = {}, .named = arguments.named};
  for (std::size_t i = from; i < arguments.positional.size(); ++i) rest.positional.push_back(arguments.positional[i]);
  return rest;
}

/// What is false has no items here, of whatever kind it is.
Expected<std::vector<JinjaValue>> items_if_any(const JinjaFilterCall& call) {
  if (!call.value.truth()) return std::vector<JinjaValue>();
  return items_of(call);
}

Expected<JinjaValue> map_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto items, items_if_any(call));
  std::vector<JinjaValue> mapped;
  mapped.reserve(items.size());
  if (call.arguments.positional.empty()) {
    KV_ASSIGN(const auto bound, call.bound({"attribute", "default"}, 1));
    for (const JinjaValue& item : items) {
      const JinjaValue* const otherwise = bound.has(1) && !bound.value(1).is_none() ? &bound.value(1) : nullptr;
      KV_ASSIGN(JinjaValue value, jinja_path(item, bound.value(0), call.budget, otherwise));
      mapped.push_back(std::move(value));
    }
  } else {
    const std::string* const name = call.arguments.positional.front().as_text();
    if (name == nullptr) return jinja_refuse(call.what + " needs the name of a filter");
    const JinjaArguments rest = rest_of(call.arguments, 1);
    for (const JinjaValue& item : items) {
      KV_ASSIGN(JinjaValue value, jinja_filter(*name, item, rest, call.budget));
      mapped.push_back(std::move(value));
    }
  }
  return JinjaValue::list(std::move(mapped), JinjaList::Kind::iterator);
}

/// select, reject, selectattr and rejectattr.
Expected<JinjaValue> select_filter(const JinjaFilterCall& call) {
  const bool by_attribute = call.name.ends_with("attr");
  const bool wanted = call.name.starts_with("select");
  const auto& given = call.arguments.positional;
  const std::size_t at = by_attribute ? 1 : 0;
  if (given.size() < at) return jinja_refuse(call.what + " needs the name of an attribute");
  const std::string* const test = given.size() > at ? given[at].as_text() : nullptr;
  if (given.size() > at && test == nullptr) return jinja_refuse(call.what + " needs the name of a test");
  const JinjaArguments rest = rest_of(call.arguments, at + 1);
  KV_ASSIGN(const auto items, items_if_any(call));
  std::vector<JinjaValue> kept;
  for (const JinjaValue& item : items) {
    JinjaValue value = item;
    if (by_attribute) {
      KV_ASSIGN(value, jinja_path(item, given[0], call.budget));
    }
    KV_ASSIGN(const bool passes,
              test == nullptr ? Expected<bool>(value.truth()) : jinja_test(*test, value, rest, call.budget));
    if (passes == wanted) kept.push_back(item);
  }
  return JinjaValue::list(std::move(kept), JinjaList::Kind::iterator);
}

constexpr std::array<std::pair<std::string_view, JinjaFilter>, 21> list_filters{{
    {"sort", sort_filter},       {"dictsort", dictsort_filter}, {"unique", unique_filter},
    {"min", extreme_filter},     {"max", extreme_filter},       {"sum", sum_filter},
    {"first", end_filter},       {"last", end_filter},          {"length", length_filter},
    {"count", length_filter},    {"list", list_filter},         {"items", items_filter},
    {"reverse", reverse_filter}, {"join", join_filter},         {"default", default_filter},
    {"d", default_filter},       {"map", map_filter},           {"select", select_filter},
    {"reject", select_filter},   {"selectattr", select_filter}, {"rejectattr", select_filter},
}};

}  // namespace

JinjaFilter jinja_list_filter(const std::string& name) {
  for (const auto& [known, filter] : list_filters)
    if (name == known) return filter;
  return nullptr;
}

Expected<JinjaValue> jinja_path(const JinjaValue& object, const JinjaValue& path, JinjaBudget& budget,
                                const JinjaValue* otherwise) {
  std::vector<JinjaValue> parts{path};
  if (const std::string* const text = path.as_text()) {
    parts.clear();
    for (const std::string& part : py_split(*text, ".", -1, false)) {
      std::int64_t index = 0;
      const bool number = !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; }) &&
                          std::from_chars(part.data(), part.data() + part.size(), index).ec == std::errc();
      parts.push_back(number ? JinjaValue::integer(index) : JinjaValue::text(part));
    }
  } else if (!path.is_integer()) {
    return jinja_refuse("an attribute is named by " + std::string(path.kind_name()));
  }
  JinjaValue value = object;
  for (const JinjaValue& part : parts) {
    KV_ASSIGN(value, jinja_item(value, part, budget));
    if (value.is_undefined() && otherwise != nullptr) value = *otherwise;
  }
  return value;
}

Expected<JinjaValue> jinja_filter(const std::string& name, const JinjaValue& value, const JinjaArguments& arguments,
                                  JinjaBudget& budget) {
  KV_TRY(budget.take(1));
  const std::string what = "filter '" + printable(name) + "'";
  JinjaFilter filter = jinja_text_filter(name);
  if (filter == nullptr) filter = jinja_list_filter(name);
  if (filter == nullptr) return jinja_refuse(what + " is not supported");
  return filter({value, arguments, budget, name, what});
}

}  // namespace kvantage::inline jinja
