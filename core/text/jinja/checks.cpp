// Jinja's tests: what stands after `is`.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/json.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/output.h"
#include "core/text/jinja/python_text.h"

namespace kvantage::inline jinja {
namespace {

using Check = bool (*)(const JinjaValue&);

bool is_iterable(const JinjaValue& value) {
  return value.is_undefined() || value.as_text() != nullptr || value.as_list() != nullptr || value.as_map() != nullptr;
}

bool is_sequence_value(const JinjaValue& value) {
  const JinjaList* const list = value.as_list();
  return value.is_undefined() || value.as_text() != nullptr || value.as_map() != nullptr ||
         (list != nullptr && list->kind != JinjaList::Kind::iterator && list->kind != JinjaList::Kind::view);
}

bool is_callable_value(const JinjaValue& value) {
  return value.is<JinjaFunction>() || value.is<std::shared_ptr<const JinjaMacro>>();
}

constexpr std::array<std::pair<std::string_view, Check>, 15> plain_checks{{
    {"defined", [](const JinjaValue& value) { return !value.is_undefined(); }},
    {"undefined", [](const JinjaValue& value) { return value.is_undefined(); }},
    {"none", [](const JinjaValue& value) { return value.is_none(); }},
    {"boolean", [](const JinjaValue& value) { return value.is<bool>(); }},
    {"true", [](const JinjaValue& value) { return value.is<bool>() && value.as<bool>(); }},
    {"false", [](const JinjaValue& value) { return value.is<bool>() && !value.as<bool>(); }},
    {"integer", [](const JinjaValue& value) { return value.is<std::int64_t>(); }},
    {"float", [](const JinjaValue& value) { return value.is<double>(); }},
    {"number", [](const JinjaValue& value) { return value.is_number(); }},
    {"string", [](const JinjaValue& value) { return value.as_text() != nullptr; }},
    {"mapping", [](const JinjaValue& value) { return value.as_map() != nullptr; }},
    {"iterable", is_iterable},
    {"sequence", is_sequence_value},
    {"callable", is_callable_value},
    {"escaped", [](const JinjaValue&) { return false; }},
}};

/// Names of comparisons, and their operators.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> comparisons{{
    {"eq", "=="},
    {"equalto", "=="},
    {"==", "=="},
    {"ne", "!="},
    {"!=", "!="},
    {"lt", "<"},
    {"lessthan", "<"},
    {"<", "<"},
    {"le", "<="},
    {"<=", "<="},
    {"gt", ">"},
    {"greaterthan", ">"},
    {">", ">"},
    {"ge", ">="},
    {">=", ">="},
    {"in", "in"},
    {"not in", "not in"},
}};

bool same_object(const JinjaValue& a, const JinjaValue& b) {
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is<bool>() || b.is<bool>()) return a.is<bool>() && b.is<bool>() && a.as<bool>() == b.as<bool>();
  if (a.is<std::shared_ptr<JinjaNamespace>>() && b.is<std::shared_ptr<JinjaNamespace>>())
    return a.as<std::shared_ptr<JinjaNamespace>>() == b.as<std::shared_ptr<JinjaNamespace>>();
  return a.as_list() != nullptr ? a.as_list() == b.as_list() : a.as_map() != nullptr && a.as_map() == b.as_map();
}

}  // namespace

Expected<bool> jinja_test(const std::string& name, const JinjaValue& value, const JinjaArguments& arguments,
                          JinjaBudget& budget) {
  KV_TRY(budget.take(1));
  const std::string what = "test '" + printable(name) + "'";
  for (const auto& [known, check] : plain_checks)
    if (name == known) {
      KV_TRY(JinjaBound::bind(arguments, {}, 0, what));
      return check(value);
    }
  for (const auto& [known, sign] : comparisons)
    if (name == known && name != "not in") {
      KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"other"}, 1, what));
      return jinja_compare(sign, value, bound.value(0), budget);
    }
  if (name == "sameas" || name == "divisibleby") {
    KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"other"}, 1, what));
    if (name == "sameas") return same_object(value, bound.value(0));
    KV_ASSIGN(const auto rest, jinja_arithmetic("%", value, bound.value(0), budget));
    return !rest.truth();
  }
  KV_TRY(JinjaBound::bind(arguments, {}, 0, what));
  if (name == "odd" || name == "even") {
    KV_ASSIGN(const auto rest, jinja_arithmetic("%", value, JinjaValue::integer(2), budget));
    return rest.is_number() && rest.as_real() == (name == "odd" ? 1 : 0);
  }
  if (name == "lower" || name == "upper") {
    KV_ASSIGN(const std::string text, jinja_text_of(value, budget));
    return name == "lower" ? py_is_lower(text) : py_is_upper(text);
  }
  return jinja_refuse(what + " is not supported");
}

}  // namespace kvantage::inline jinja
