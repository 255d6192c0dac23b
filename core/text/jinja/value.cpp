#include "core/text/jinja/value.h"

#include <algorithm>

namespace kvantage::inline jinja {

const JinjaValue* JinjaMap::find(std::string_view key) const {
  for (const auto& [name, value] : pairs)
    if (const std::string* const text = name.as_text(); text != nullptr && *text == key) return &value;
  return nullptr;
}

const JinjaValue* JinjaMap::find(const JinjaValue& key) const {
  JinjaBudget enough(2 * pairs.size() + 2);  // keys have no parts
  for (const auto& [name, value] : pairs)
    if (jinja_equal(name, key, enough)) return &value;
  return nullptr;
}

const JinjaValue* JinjaNamespace::find(std::string_view name) const {
  for (const auto& [known, value] : attributes)
    if (known == name) return &value;
  return nullptr;
}

void JinjaNamespace::set(const std::string& name, JinjaValue value) {
  for (auto& [known, held] : attributes)
    if (known == name) {
      held = std::move(value);
      return;
    }
  attributes.emplace_back(name, std::move(value));
}

JinjaValue JinjaValue::list(std::vector<JinjaValue> items, JinjaList::Kind kind) {
  auto made = std::make_shared<JinjaList>();
  made->kind = kind;
  made->items = std::move(items);
  for (const JinjaValue& item : made->items) made->depth = std::max(made->depth, item.nesting() + 1);
  return of(std::shared_ptr<const JinjaList>(std::move(made)));
}

JinjaValue JinjaValue::map(JinjaPairs pairs) {
  auto made = std::make_shared<JinjaMap>();
  made->pairs = std::move(pairs);
  for (const auto& [key, value] : made->pairs) made->depth = std::max(made->depth, value.nesting() + 1);
  return of(std::shared_ptr<const JinjaMap>(std::move(made)));
}

const std::string* JinjaValue::as_text() const { return is<JinjaText>() ? as<JinjaText>().get() : nullptr; }

const JinjaList* JinjaValue::as_list() const {
  return is<std::shared_ptr<const JinjaList>>() ? as<std::shared_ptr<const JinjaList>>().get() : nullptr;
}

const JinjaMap* JinjaValue::as_map() const {
  return is<std::shared_ptr<const JinjaMap>>() ? as<std::shared_ptr<const JinjaMap>>().get() : nullptr;
}

int JinjaValue::nesting() const {
  if (const JinjaList* const list = as_list()) return list->depth;
  const JinjaMap* const map = as_map();
  return map != nullptr ? map->depth : 0;
}

bool JinjaValue::truth() const {
  if (is_undefined() || is_none()) return false;
  if (is<bool>()) return as<bool>();
  if (is<std::int64_t>()) return as<std::int64_t>() != 0;
  if (is<double>()) return as<double>() != 0;
  if (const std::string* const text = as_text()) return !text->empty();
  if (const JinjaList* const list = as_list()) return list->kind == JinjaList::Kind::iterator || !list->items.empty();
  if (const JinjaMap* const map = as_map()) return !map->pairs.empty();
  return true;
}

const char* JinjaValue::kind_name() const {
  struct Names {
    const char* operator()(const JinjaUndefined&) const { return "an undefined value"; }
    const char* operator()(const JinjaNone&) const { return "none"; }
    const char* operator()(bool) const { return "a boolean"; }
    const char* operator()(std::int64_t) const { return "an integer"; }
    const char* operator()(double) const { return "a number"; }
    const char* operator()(const JinjaText&) const { return "a text"; }
    const char* operator()(const std::shared_ptr<const JinjaList>&) const { return "a list"; }
    const char* operator()(const std::shared_ptr<const JinjaMap>&) const { return "a mapping"; }
    const char* operator()(const std::shared_ptr<JinjaNamespace>&) const { return "a namespace"; }
    const char* operator()(const std::shared_ptr<const JinjaMacro>&) const { return "a macro"; }
    const char* operator()(const JinjaFunction&) const { return "a function"; }
    const char* operator()(const std::shared_ptr<const JinjaLoop>&) const { return "a loop"; }
  };
  return std::visit(Names{}, held_);
}

bool jinja_equal(const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget) {
  if (!budget.take(1)) return false;
  if (a.is_number() && b.is_number()) {
    if (a.is_integer() && b.is_integer()) return a.as_integer() == b.as_integer();
    return a.as_real() == b.as_real();
  }
  if (a.is_undefined() || a.is_none()) return a.is_undefined() == b.is_undefined() && a.is_none() == b.is_none();
  if (const std::string* const text = a.as_text()) {
    const std::string* const other = b.as_text();
    return other != nullptr && (text == other || *text == *other);
  }
  if (const JinjaList* const list = a.as_list()) {
    const JinjaList* const other = b.as_list();
    if (list == other) return true;
    return other != nullptr && list->kind == other->kind && list->kind != JinjaList::Kind::iterator &&
           std::ranges::equal(list->items, other->items, [&](const JinjaValue& one, const JinjaValue& two) {
             return jinja_equal(one, two, budget);
           });
  }
  if (const JinjaMap* const map = a.as_map()) {
    const JinjaMap* const other = b.as_map();
    if (other == nullptr || map->pairs.size() != other->pairs.size()) return false;
    return std::ranges::all_of(map->pairs, [&](const auto& pair) {
      const JinjaValue* const value = other->find(pair.first);
      return value != nullptr && jinja_equal(pair.second, *value, budget);
    });
  }
  using Space = std::shared_ptr<JinjaNamespace>;
  using Macro = std::shared_ptr<const JinjaMacro>;
  if (a.is<Space>()) return b.is<Space>() && a.as<Space>() == b.as<Space>();
  if (a.is<Macro>()) return b.is<Macro>() && a.as<Macro>() == b.as<Macro>();
  return false;
}

}  // namespace kvantage::inline jinja
