#include "core/text/jinja/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/find_text.h"
#include "core/base/json.h"
#include "core/text/jinja/loop.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

constexpr std::int64_t max_repeats = 1'000'000;

tl::unexpected<Error> too_large() { return jinja_refuse("a whole number of more than 64 bits is not supported"); }

std::string undefined_text(const JinjaValue& value) {
  return "'" + printable(value.as<JinjaUndefined>().name) + "' is undefined";
}

tl::unexpected<Error> wrong_operands(std::string_view sign, const JinjaValue& a, const JinjaValue& b) {
  for (const JinjaValue* value : {&a, &b})
    if (value->is_undefined()) return jinja_refuse(undefined_text(*value));
  return jinja_refuse("'" + std::string(sign) + "' cannot be applied to " + a.kind_name() + " and " + b.kind_name());
}

Expected<JinjaValue> whole_arithmetic(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (sign == "+" || sign == "-" || sign == "*") {
    const bool over = sign == "+"   ? __builtin_add_overflow(a, b, &result)
                      : sign == "-" ? __builtin_sub_overflow(a, b, &result)
                                    : __builtin_mul_overflow(a, b, &result);
    if (over) return too_large();
    return JinjaValue::integer(result);
  }
  if (sign == "**") {
    if (b < 0) return JinjaValue::real(std::pow(static_cast<double>(a), static_cast<double>(b)));
    if (b > 64 && a != 0 && a != 1 && a != -1) return too_large();
    result = 1;
    for (std::int64_t i = 0; i < (b > 64 ? 64 + b % 2 : b); ++i)
      if (__builtin_mul_overflow(result, a, &result)) return too_large();
    return JinjaValue::integer(result);
  }
  if (b == 0) return jinja_refuse("division by zero");
  if (sign == "/") return JinjaValue::real(static_cast<double>(a) / static_cast<double>(b));
  if (b == -1) {  // the quotient of the least number has no 64 bits
    if (sign == "%") return JinjaValue::integer(0);
    return whole_arithmetic("-", 0, a);
  }
  const bool down = a % b != 0 && (a < 0) != (b < 0);  // Python rounds down
  if (sign == "//") return JinjaValue::integer(a / b - (down ? 1 : 0));
  return JinjaValue::integer(a % b + (down ? b : 0));
}

Expected<JinjaValue> real_arithmetic(std::string_view sign, double a, double b) {
  if (sign == "+") return JinjaValue::real(a + b);
  if (sign == "-") return JinjaValue::real(a - b);
  if (sign == "*") return JinjaValue::real(a * b);
  if (sign == "**") {
    const double power = std::pow(a, b);
    if (!std::isfinite(power)) return jinja_refuse("a power is out of range");
    return JinjaValue::real(power);
  }
  if (b == 0) return jinja_refuse("division by zero");
  if (sign == "/") return JinjaValue::real(a / b);
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (sign == "%") return JinjaValue::real(rest == 0 ? std::copysign(0.0, b) : rest);
  const double quotient = (a - rest) / b;
  return JinjaValue::real(quotient == 0 ? std::copysign(0.0, a / b) : std::round(quotient));
}

Expected<JinjaValue> repeated(const JinjaValue& value, std::int64_t times, JinjaBudget& budget) {
  times = std::max<std::int64_t>(times, 0);
  if (times > max_repeats) return jinja_refuse("more than a million repetitions are not supported");
  if (const std::string* const text = value.as_text()) {
    KV_TRY(budget.take_text(text->size() * static_cast<std::size_t>(times)));
    std::string whole;
    whole.reserve(text->size() * static_cast<std::size_t>(times));
    for (std::int64_t i = 0; i < times; ++i) whole += *text;
    return JinjaValue::text(std::move(whole));
  }
  const JinjaList& list = *value.as_list();
  KV_TRY(budget.take(list.items.size() * static_cast<std::size_t>(times)));
  std::vector<JinjaValue> items;
  items.reserve(list.items.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) items.insert(items.end(), list.items.begin(), list.items.end());
  return JinjaValue::list(std::move(items), list.kind);
}

bool is_sequence(const JinjaValue& value) {
  const JinjaList* const list = value.as_list();
  return value.as_text() != nullptr ||
         (list != nullptr && (list->kind == JinjaList::Kind::list || list->kind == JinjaList::Kind::tuple));
}

Expected<bool> contains(const JinjaValue& sought, const JinjaValue& in, JinjaBudget& budget) {
  if (const std::string* const text = in.as_text()) {
    const std::string* const part = sought.as_text();
    if (part == nullptr) return wrong_operands("in", sought, in);
    KV_TRY(budget.take_text(text->size()));
    return part->empty() || find_text(*text, *part) != std::string::npos;
  }
  if (const JinjaMap* const map = in.as_map()) {
    KV_TRY(budget.take(map->pairs.size()));
    return map->find(sought) != nullptr;
  }
  if (!in.is_undefined() && in.as_list() == nullptr) return wrong_operands("in", sought, in);
  KV_ASSIGN(const auto items, jinja_items(in, budget));
  for (const JinjaValue& item : items)
    if (jinja_equal(sought, item, budget)) return true;
  KV_TRY(budget.take(0));
  return false;
}

/// The place that a bound of a slice names, in a sequence of `size` items.
Expected<std::int64_t> slice_bound(const JinjaValue& bound, std::int64_t size, std::int64_t otherwise, bool backward) {
  if (bound.is_none()) return otherwise;
  if (!bound.is_integer()) return jinja_refuse("a bound of a slice is " + std::string(bound.kind_name()));
  std::int64_t at = bound.as_integer();
  if (at < 0) at = at < -size ? (backward ? -1 : 0) : at + size;
  return std::min(at, backward ? size - 1 : size);
}

}  // namespace

tl::unexpected<Error> jinja_refuse(std::string reason) { return fail(ErrorCode::rejected_input, std::move(reason)); }

Expected<JinjaValue> jinja_arithmetic(std::string_view sign, const JinjaValue& a, const JinjaValue& b,
                                      JinjaBudget& budget) {
  if (a.is_number() && b.is_number())
    return a.is_integer() && b.is_integer() ? whole_arithmetic(sign, a.as_integer(), b.as_integer())
                                            : real_arithmetic(sign, a.as_real(), b.as_real());
  if (sign == "*" && is_sequence(a) && b.is_integer()) return repeated(a, b.as_integer(), budget);
  if (sign == "*" && a.is_integer() && is_sequence(b)) return repeated(b, a.as_integer(), budget);
  if (sign == "%" && a.as_text() != nullptr) return jinja_refuse("formatting with '%' is not supported");
  if (sign == "+" && a.as_text() != nullptr && b.as_text() != nullptr) {
    KV_TRY(budget.take_text(a.as_text()->size() + b.as_text()->size()));
    return JinjaValue::text(*a.as_text() + *b.as_text());
  }
  if (sign == "+" && is_sequence(a) && is_sequence(b) && a.as_list() != nullptr && b.as_list() != nullptr &&
      a.as_list()->kind == b.as_list()->kind) {
    std::vector<JinjaValue> items = a.as_list()->items;
    const std::vector<JinjaValue>& more = b.as_list()->items;
    KV_TRY(budget.take(items.size() + more.size()));
    items.insert(items.end(), more.begin(), more.end());
    return JinjaValue::list(std::move(items), a.as_list()->kind);
  }
  return wrong_operands(sign, a, b);
}

Expected<int> jinja_order(const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget) {
  const auto sign_of = [](const auto& one, const auto& two) { return one < two ? -1 : two < one ? 1 : 0; };
  if (a.is_integer() && b.is_integer()) return sign_of(a.as_integer(), b.as_integer());
  if (a.is_number() && b.is_number()) return sign_of(a.as_real(), b.as_real());
  if (a.as_text() != nullptr && b.as_text() != nullptr) {
    KV_TRY(budget.take_text(std::min(a.as_text()->size(), b.as_text()->size())));
    return sign_of(*a.as_text(), *b.as_text());  // UTF-8 is ordered as its characters
  }
  const JinjaList *const one = a.as_list(), *const two = b.as_list();
  if (!is_sequence(a) || !is_sequence(b) || one == nullptr || two == nullptr || one->kind != two->kind)
    return wrong_operands("<", a, b);
  for (std::size_t i = 0; i < std::min(one->items.size(), two->items.size()); ++i) {
    if (jinja_equal(one->items[i], two->items[i], budget)) continue;
    KV_TRY(budget.take(1));
    return jinja_order(one->items[i], two->items[i], budget);
  }
  return sign_of(one->items.size(), two->items.size());
}

Expected<bool> jinja_compare(std::string_view sign, const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget) {
  if (sign == "in" || sign == "not in") {
    KV_ASSIGN(const bool found, contains(a, b, budget));
    return found == (sign == "in");
  }
  if (sign == "==" || sign == "!=") {
    if (a.as_text() != nullptr && b.as_text() != nullptr) KV_TRY(budget.take_text(a.as_text()->size()));
    const bool equal = jinja_equal(a, b, budget);
    KV_TRY(budget.take(0));
    return equal == (sign == "==");
  }
  if (a.is_number() && b.is_number() && (std::isnan(a.as_real()) || std::isnan(b.as_real()))) return false;
  KV_ASSIGN(const int order, jinja_order(a, b, budget));
  return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

Expected<std::vector<JinjaValue>> jinja_items(const JinjaValue& value, JinjaBudget& budget) {
  std::vector<JinjaValue> items;
  if (value.is_undefined()) return items;
  if (const JinjaList* const list = value.as_list()) {
    const bool once = list->kind == JinjaList::Kind::iterator;
    KV_TRY(budget.take(list->items.size()));
    items.assign(list->items.begin() + static_cast<std::ptrdiff_t>(once ? list->taken : 0), list->items.end());
    if (once) list->taken = list->items.size();
    return items;
  }
  if (const JinjaMap* const map = value.as_map()) {
    KV_TRY(budget.take(map->pairs.size()));
    items.reserve(map->pairs.size());
    for (const auto& [key, held] : map->pairs) items.push_back(key);
    return items;
  }
  if (const std::string* const text = value.as_text()) {
    KV_TRY(budget.take(text->size()));
    items.reserve(character_count(*text));
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t begin = at;
      next_character(*text, at);
      items.push_back(JinjaValue::text(text->substr(begin, at - begin)));
    }
    return items;
  }
  return jinja_refuse(std::string(value.kind_name()) + " has no items");
}

Expected<std::int64_t> jinja_length(const JinjaValue& value) {
  if (value.is_undefined()) return 0;
  if (const std::string* const text = value.as_text()) return static_cast<std::int64_t>(character_count(*text));
  if (const JinjaMap* const map = value.as_map()) return static_cast<std::int64_t>(map->pairs.size());
  if (const JinjaList* const list = value.as_list(); list != nullptr && list->kind != JinjaList::Kind::iterator)
    return static_cast<std::int64_t>(list->items.size());
  return jinja_refuse(std::string(value.kind_name()) + " has no length");
}

Expected<JinjaValue> jinja_item(const JinjaValue& object, const JinjaValue& key, JinjaBudget& budget) {
  if (object.is_undefined()) return jinja_refuse(undefined_text(object));
  const std::string* const name = key.as_text();
  if (const JinjaMap* const map = object.as_map()) {
    KV_TRY(budget.take(1 + map->pairs.size() / 8));
    if (const JinjaValue* const value = map->find(key)) return *value;
  } else if (key.is_integer()) {
    const JinjaList* const list = object.as_list();
    const std::string* const text = object.as_text();
    const bool has_items = text != nullptr || (list != nullptr && list->kind != JinjaList::Kind::iterator &&
                                               list->kind != JinjaList::Kind::view);
    if (has_items) {
      if (text != nullptr) KV_TRY(budget.take_text(text->size()));
      KV_ASSIGN(const std::int64_t size, jinja_length(object));
      const std::int64_t at = key.as_integer() < 0 ? key.as_integer() + size : key.as_integer();
      if (at >= 0 && at < size)
        return text != nullptr ? JinjaValue::text(py_slice(*text, at, at + 1, 1))
                               : list->items[static_cast<std::size_t>(at)];
    }
  }
  if (name == nullptr) return JinjaValue::undefined("an item");
  return object.as_map() != nullptr && !is_jinja_method(object, *name) ? JinjaValue::undefined(*name)
                                                                       : jinja_attribute(object, *name, budget);
}

Expected<JinjaValue> jinja_attribute(const JinjaValue& object, const std::string& name, JinjaBudget& budget) {
  KV_TRY(budget.take(1));
  if (object.is_undefined()) return jinja_refuse(undefined_text(object));
  if (name.starts_with('_') && (object.as_map() == nullptr || object.as_map()->find(name) == nullptr))
    return JinjaValue::undefined(name);
  if (is_jinja_method(object, name))
    return JinjaValue::of(JinjaFunction{name, std::make_shared<const JinjaValue>(object)});
  if (const JinjaMap* const map = object.as_map()) {
    KV_TRY(budget.take(map->pairs.size() / 8));
    if (const JinjaValue* const value = map->find(name)) return *value;
  }
  if (object.is<std::shared_ptr<JinjaNamespace>>())
    if (const JinjaValue* const value = object.as<std::shared_ptr<JinjaNamespace>>()->find(name)) return *value;
  if (object.is<std::shared_ptr<const JinjaLoop>>())
    return object.as<std::shared_ptr<const JinjaLoop>>()->attribute(name);
  return JinjaValue::undefined(name);
}

Expected<JinjaValue> jinja_slice(const JinjaValue& object, const JinjaValue& begin, const JinjaValue& end,
                                 const JinjaValue& step, JinjaBudget& budget) {
  if (object.is_undefined()) return jinja_refuse(undefined_text(object));
  if (!is_sequence(object) && (object.as_list() == nullptr || object.as_list()->kind != JinjaList::Kind::range))
    return JinjaValue::undefined("a slice");
  if (!step.is_none() && (!step.is_integer() || step.as_integer() == 0))
    return jinja_refuse("the step of a slice is not a number other than 0");
  KV_ASSIGN(const std::int64_t size, jinja_length(object));
  // Steps beyond the size are all alike.
  const std::int64_t by = step.is_none() ? 1 : std::clamp(step.as_integer(), -size - 1, size + 1);
  KV_ASSIGN(const std::int64_t from, slice_bound(begin, size, by < 0 ? size - 1 : 0, by < 0));
  KV_ASSIGN(const std::int64_t to, slice_bound(end, size, by < 0 ? -1 : size, by < 0));
  if (const std::string* const text = object.as_text()) {
    KV_TRY(budget.take_text(text->size() * 8));
    return JinjaValue::text(py_slice(*text, from, to, by));
  }
  const JinjaList& list = *object.as_list();
  KV_TRY(budget.take(list.items.size()));
  std::vector<JinjaValue> items;
  for (std::int64_t i = from; by > 0 ? i < to : i > to; i += by)
    items.push_back(list.items[static_cast<std::size_t>(i)]);
  return JinjaValue::list(std::move(items), list.kind);
}

}  // namespace kvantage::inline jinja
