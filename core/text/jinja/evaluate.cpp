// Expressions and calls.
#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/text/jinja/evaluator.h"
#include "core/text/jinja/filters.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/output.h"

namespace kvantage::inline jinja {
namespace {

constexpr std::int64_t max_range = 100'000;  // as in Jinja's sandbox
constexpr std::array<std::string_view, 4> plain_functions{"range", "dict", "namespace", "raise_exception"};
constexpr std::array<std::string_view, 3> other_functions{"lipsum", "cycler", "joiner"};

bool is_key(const JinjaValue& value) { return value.as_text() != nullptr || value.is_number() || value.is_none(); }

/// A loop could wrap a list in lists without end; freeing it would then go as deep.
Expected<JinjaValue> not_too_deep(JinjaValue value) {
  constexpr int max_nesting = 200;
  if (value.nesting() > max_nesting) return jinja_refuse("lists and mappings are nested too deeply");
  return value;
}

Expected<JinjaValue> range_of(const JinjaArguments& arguments) {
  KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"start", "stop", "step"}, 1, "function 'range'"));
  std::array<std::int64_t, 3> given{};
  for (std::size_t i = 0; i < 3; ++i) {
    KV_ASSIGN(given[i], bound.integer(i, i == 2 ? 1 : 0));
  }
  auto [begin, end, step] = given;
  if (!bound.has(1)) {
    end = begin;
    begin = 0;
  }
  constexpr std::int64_t far = std::int64_t{1} << 60;
  if (step == 0 || std::abs(begin) > far || std::abs(end) > far || std::abs(step) > far)
    return jinja_refuse("function 'range' with these numbers");
  const std::int64_t span = step > 0 ? end - begin : begin - end, by = std::abs(step);
  const std::int64_t count = span <= 0 ? 0 : (span - 1) / by + 1;
  if (count > max_range) return jinja_refuse("a range of more than 100000 numbers");
  std::vector<JinjaValue> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(JinjaValue::integer(begin + i * step));
  return JinjaValue::list(std::move(items), JinjaList::Kind::range);
}

}  // namespace

Expected<JinjaValue> JinjaEvaluator::evaluate(const JinjaExpression& expression, const Scope& scope) {
  KV_TRY(budget_.take(1));
  if (depth_ >= JinjaBudget::max_depth) return jinja_refuse("the template is nested too deeply");
  ++depth_;
  line_ = expression.line;
  auto value = evaluate_kind(expression, scope);
  if (value) --depth_;
  return value;
}

Expected<JinjaValue> JinjaEvaluator::evaluate_kind(const JinjaExpression& expression, const Scope& scope) {
  using Kind = JinjaExpression::Kind;
  const auto part = [&](std::size_t i) { return evaluate(*expression.parts[i], scope); };
  switch (expression.kind) {
    case Kind::constant:
      return expression.value;
    case Kind::name:
      return look_up(expression.text, *scope);
    case Kind::list:
    case Kind::tuple:
    case Kind::map:
      return evaluate_parts(expression, scope);
    case Kind::attribute: {
      KV_ASSIGN(const JinjaValue object, part(0));
      return jinja_attribute(object, expression.text, budget_);
    }
    case Kind::item: {
      KV_ASSIGN(const JinjaValue object, part(0));
      KV_ASSIGN(const JinjaValue key, part(1));
      return jinja_item(object, key, budget_);
    }
    case Kind::slice: {
      std::array<JinjaValue, 4> bounds;
      for (std::size_t i = 0; i < 4; ++i) {
        KV_ASSIGN(bounds[i], expression.parts[i] ? part(i) : Expected<JinjaValue>(JinjaValue::none()));
      }
      return jinja_slice(bounds[0], bounds[1], bounds[2], bounds[3], budget_);
    }
    case Kind::call: {
      KV_ASSIGN(const JinjaValue callee, part(0));
      KV_ASSIGN(const JinjaArguments arguments, arguments_of(expression, scope));
      line_ = expression.line;
      return call(callee, arguments);
    }
    case Kind::filter:
    case Kind::test: {
      KV_ASSIGN(const JinjaValue value, part(0));
      KV_ASSIGN(const JinjaArguments arguments, arguments_of(expression, scope));
      line_ = expression.line;
      if (expression.kind == Kind::filter) return jinja_filter(expression.text, value, arguments, budget_);
      KV_ASSIGN(const bool holds, jinja_test(expression.text, value, arguments, budget_));
      return JinjaValue::boolean(holds);
    }
    case Kind::negate:
      return evaluate_negation(expression, scope);
    case Kind::binary:
      return evaluate_binary(expression, scope);
    case Kind::compare:
      return evaluate_comparison(expression, scope);
    case Kind::condition: {
      KV_ASSIGN(const JinjaValue holds, part(1));
      if (holds.truth()) return part(0);
      if (!expression.parts[2]) return JinjaValue::undefined("a condition without else");
      return part(2);
    }
  }
  return JinjaValue();
}

Expected<JinjaValue> JinjaEvaluator::evaluate_parts(const JinjaExpression& expression, const Scope& scope) {
  using Kind = JinjaExpression::Kind;
  std::vector<JinjaValue> items;
  items.reserve(expression.parts.size());
  for (const JinjaExpressionPtr& part : expression.parts) {
    KV_ASSIGN(JinjaValue item, evaluate(*part, scope));
    items.push_back(std::move(item));
  }
  if (expression.kind != Kind::map)
    return not_too_deep(JinjaValue::list(
        std::move(items), expression.kind == Kind::list ? JinjaList::Kind::list : JinjaList::Kind::tuple));
  JinjaPairs pairs;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!is_key(items[i])) return jinja_refuse("a key is " + std::string(items[i].kind_name()));
    KV_TRY(budget_.take(1 + pairs.size()));
    const auto known =
        std::ranges::find_if(pairs, [&](const auto& pair) { return jinja_equal(pair.first, items[i], budget_); });
    if (known != pairs.end())
      known->second = items[i + 1];
    else
      pairs.emplace_back(items[i], items[i + 1]);
  }
  return not_too_deep(JinjaValue::map(std::move(pairs)));
}

Expected<JinjaValue> JinjaEvaluator::evaluate_binary(const JinjaExpression& expression, const Scope& scope) {
  const std::string& sign = expression.text;
  if (sign == "~") {
    std::string whole;
    for (const JinjaExpressionPtr& part : expression.parts) {
      KV_ASSIGN(const JinjaValue value, evaluate(*part, scope));
      KV_ASSIGN(const std::string text, jinja_text_of(value, budget_));
      whole += text;
    }
    return JinjaValue::text(std::move(whole));
  }
  KV_ASSIGN(JinjaValue left, evaluate(*expression.parts[0], scope));
  if (sign == "or" || sign == "and") {
    if (left.truth() == (sign == "or")) return left;
    return evaluate(*expression.parts[1], scope);
  }
  KV_ASSIGN(const JinjaValue right, evaluate(*expression.parts[1], scope));
  line_ = expression.line;
  return jinja_arithmetic(sign, left, right, budget_);
}

Expected<JinjaValue> JinjaEvaluator::evaluate_comparison(const JinjaExpression& expression, const Scope& scope) {
  KV_ASSIGN(JinjaValue left, evaluate(*expression.parts[0], scope));
  for (std::size_t i = 0; i < expression.operators.size(); ++i) {
    KV_ASSIGN(JinjaValue right, evaluate(*expression.parts[i + 1], scope));
    line_ = expression.line;
    KV_ASSIGN(const bool holds, jinja_compare(expression.operators[i], left, right, budget_));
    if (!holds) return JinjaValue::boolean(false);
    left = std::move(right);
  }
  return JinjaValue::boolean(true);
}

Expected<JinjaValue> JinjaEvaluator::evaluate_negation(const JinjaExpression& expression, const Scope& scope) {
  KV_ASSIGN(const JinjaValue value, evaluate(*expression.parts[0], scope));
  if (expression.text == "not") return JinjaValue::boolean(!value.truth());
  if (!value.is_number()) return jinja_refuse("'" + expression.text + "' cannot be applied to " + value.kind_name());
  if (!value.is_integer()) return JinjaValue::real(expression.text == "-" ? -value.as_real() : value.as_real());
  return jinja_arithmetic(expression.text, JinjaValue::integer(0), value, budget_);
}

Expected<JinjaArguments> JinjaEvaluator::arguments_of(const JinjaExpression& expression, const Scope& scope) {
  JinjaArguments arguments;
  for (std::size_t i = 1; i < expression.parts.size(); ++i) {
    KV_ASSIGN(JinjaValue value, evaluate(*expression.parts[i], scope));
    arguments.positional.push_back(std::move(value));
  }
  for (const auto& [name, part] : expression.named) {
    KV_ASSIGN(JinjaValue value, evaluate(*part, scope));
    arguments.named.emplace_back(name, std::move(value));
  }
  return arguments;
}

Expected<JinjaValue> JinjaEvaluator::look_up(const std::string& name, const JinjaScope& scope) const {
  for (const JinjaScope* at = &scope; at != nullptr; at = at->outer.get())
    if (const auto found = at->variables.find(name); found != at->variables.end()) return found->second;
  const bool known = std::ranges::find(plain_functions, name) != plain_functions.end();
  if (known || (name == "strftime_now" && time_)) return JinjaValue::of(JinjaFunction{name, nullptr});
  if (std::ranges::find(other_functions, name) != other_functions.end())
    return jinja_refuse("function '" + name + "' is not supported");
  return JinjaValue::undefined(name);
}

Expected<JinjaValue> JinjaEvaluator::call(const JinjaValue& callee, const JinjaArguments& arguments) {
  if (callee.is<JinjaFunction>()) {
    const auto& function = callee.as<JinjaFunction>();
    return function.object ? jinja_call_method(function, arguments, budget_) : call_function(function.name, arguments);
  }
  if (callee.is<std::shared_ptr<const JinjaMacro>>())
    return call_macro(*callee.as<std::shared_ptr<const JinjaMacro>>(), arguments);
  if (callee.is_undefined())
    return jinja_refuse("'" + printable(callee.as<JinjaUndefined>().name) + "' is undefined and cannot be called");
  return jinja_refuse(std::string(callee.kind_name()) + " cannot be called");
}

Expected<JinjaValue> JinjaEvaluator::call_macro(const JinjaMacro& macro, const JinjaArguments& arguments) {
  const JinjaStatement& statement = *macro.statement;
  const std::string what = "macro '" + printable(statement.text) + "'";
  const auto scope = std::make_shared<JinjaScope>(JinjaScope{{}, macro.scope});
  if (arguments.positional.size() > statement.parameters.size())
    return jinja_refuse(what + " takes at most " + std::to_string(statement.parameters.size()) + " arguments");
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    scope->variables[statement.parameters[i].first] = arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const bool known = std::ranges::any_of(statement.parameters, [&](const auto& one) { return one.first == name; });
    if (!known || !scope->variables.emplace(name, value).second)
      return jinja_refuse(what + ": the argument '" + printable(name) + (known ? "' is given twice" : "' is unknown"));
  }
  for (const auto& [name, otherwise] : statement.parameters) {
    if (scope->variables.contains(name)) continue;
    JinjaValue value = JinjaValue::undefined(name);
    if (otherwise) {
      KV_ASSIGN(value, evaluate(*otherwise, scope));
    }
    scope->variables[name] = std::move(value);
  }
  std::string text;
  KV_TRY(run_block(statement.blocks[0], scope, text));
  KV_TRY(budget_.take_text(text.size()));
  return JinjaValue::text(std::move(text));
}

Expected<JinjaValue> JinjaEvaluator::call_function(const std::string& name, const JinjaArguments& arguments) {
  if (name == "range") {
    KV_TRY(budget_.take(1));
    KV_ASSIGN(JinjaValue range, range_of(arguments));
    KV_TRY(budget_.take(range.as_list()->items.size()));
    return range;
  }
  if (name == "raise_exception") {
    KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"message"}, 1, "function 'raise_exception'"));
    KV_ASSIGN(const std::string message, jinja_text_of(bound.value(0), budget_));
    return jinja_refuse("the template refuses the conversation: '" + printable(message) + "'");
  }
  if (name == "strftime_now") {
    KV_ASSIGN(const auto bound, JinjaBound::bind(arguments, {"format"}, 1, "function 'strftime_now'"));
    KV_ASSIGN(const std::string format, bound.text(0, ""));
    KV_TRY(budget_.take_text(format.size() * 16));
    KV_ASSIGN(std::string text, jinja_strftime(format, *time_));
    return JinjaValue::text(std::move(text));
  }
  // dict and namespace: of a mapping, and of arguments by name.
  JinjaPairs pairs;
  if (arguments.positional.size() > 1 || (!arguments.positional.empty() && arguments.positional[0].as_map() == nullptr))
    return jinja_refuse("function '" + name + "' takes a mapping and arguments by name");
  if (!arguments.positional.empty()) pairs = arguments.positional[0].as_map()->pairs;
  KV_TRY(budget_.take(1 + pairs.size() + arguments.named.size()));
  for (const auto& [key, value] : arguments.named) {
    const auto known = std::ranges::find_if(pairs, [&](const auto& pair) {
      const std::string* const text = pair.first.as_text();
      return text != nullptr && *text == key;
    });
    if (known != pairs.end())
      known->second = value;
    else
      pairs.emplace_back(JinjaValue::text(key), value);
  }
  if (name == "dict") return not_too_deep(JinjaValue::map(std::move(pairs)));
  const auto space = std::make_shared<JinjaNamespace>();
  for (const auto& [key, value] : pairs)
    if (const std::string* const text = key.as_text()) space->set(*text, value);
  namespaces_.push_back(space);
  return JinjaValue::of(std::shared_ptr<JinjaNamespace>(space));
}

}  // namespace kvantage::inline jinja
