// Filters of texts and numbers.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text/jinja/filter_call.h"
#include "core/text/jinja/output.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

Expected<JinjaValue> string_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(std::string text, call.text());
  return JinjaValue::text(std::move(text));
}

Expected<JinjaValue> case_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(const std::string text, call.text());
  if (call.name == "upper") return JinjaValue::text(py_upper(text));
  if (call.name == "lower") return JinjaValue::text(lower_case(text));
  if (call.name == "capitalize") return JinjaValue::text(py_capitalize(text));
  // title: words begin after spaces, hyphens and opening brackets.
  std::string titled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto breaks = [](char32_t c) {
      return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || is_py_space(c);
    };
    bool word = !breaks(next_character(text, at));
    const std::size_t after_first = at;
    while (word && at < text.size()) {
      std::size_t next = at;
      word = !breaks(next_character(text, next));
      if (word) at = next;
    }
    titled += py_upper(std::string_view(text).substr(begin, after_first - begin));
    titled += lower_case(std::string_view(text).substr(after_first, at - after_first));
  }
  return JinjaValue::text(std::move(titled));
}

Expected<JinjaValue> trim_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"chars"}));
  KV_ASSIGN(const std::string characters, bound.text(0, ""));
  KV_ASSIGN(const std::string text, call.text());
  KV_TRY(call.budget.take_text(text.size() * (1 + characters.size())));
  const bool spaces = !bound.has(0) || bound.value(0).is_none();
  return JinjaValue::text(
      std::string(py_strip(text, true, true, spaces ? std::nullopt : std::optional<std::string_view>(characters))));
}

Expected<JinjaValue> replace_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"old", "new", "count"}, 2));
  KV_ASSIGN(const std::string text, call.text());
  KV_ASSIGN(const std::string from, jinja_text_of(bound.value(0), call.budget));
  KV_ASSIGN(const std::string to, jinja_text_of(bound.value(1), call.budget));
  const bool all = !bound.has(2) || bound.value(2).is_none();
  KV_ASSIGN(const std::int64_t most, all ? Expected<std::int64_t>(-1) : bound.integer(2, -1));
  KV_TRY(call.budget.take_text(py_replaced_bytes(text, from, to, most)));
  return JinjaValue::text(py_replace(text, from, to, most));
}

Expected<JinjaValue> indent_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"width", "first", "blank"}));
  if (call.value.as_text() == nullptr) return jinja_refuse(call.what + " of " + call.value.kind_name());
  const std::string& text = *call.value.as_text();
  const bool by_text = bound.has(0) && bound.value(0).as_text() != nullptr;
  KV_ASSIGN(const std::int64_t width, by_text ? Expected<std::int64_t>(0) : bound.integer(0, 4));
  if (width > 10'000) return jinja_refuse(call.what + " by more than 10000 spaces");
  const std::string space = by_text ? *bound.value(0).as_text()
                                    : std::string(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
  const std::vector<std::string> lines = py_splitlines(text + "\n", false);
  KV_TRY(call.budget.take_text(text.size() + lines.size() * (space.size() + 1)));
  std::string indented = bound.flag(1, false) ? space : "";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) indented += "\n";
    if (i > 0 && (!lines[i].empty() || bound.flag(2, false))) indented += space;
    indented += lines[i];
  }
  return JinjaValue::text(std::move(indented));
}

Expected<JinjaValue> tojson_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"ensure_ascii", "indent", "separators", "sort_keys"}));
  JinjaJsonStyle style;
  style.ascii = bound.flag(0, false);
  style.sort_keys = bound.flag(3, false);
  if (bound.has(1) && !bound.value(1).is_none()) {
    KV_ASSIGN(const std::int64_t indent, bound.integer(1, 0));
    if (indent < 0 || indent > 100) return jinja_refuse(call.what + " with an indent that is not from 0 to 100");
    style.indent = static_cast<int>(indent);
  }
  if (bound.has(2) && !bound.value(2).is_none()) {
    const JinjaList* const pair = bound.value(2).as_list();
    if (pair == nullptr || pair->items.size() != 2 || pair->items[0].as_text() == nullptr ||
        pair->items[1].as_text() == nullptr || pair->items[0].as_text()->empty())
      return jinja_refuse(call.what + ": separators are not a pair of texts");
    style.item_separator = *pair->items[0].as_text();
    style.key_separator = *pair->items[1].as_text();
  }
  KV_ASSIGN(std::string text, jinja_json_of(call.value, style, call.budget));
  return JinjaValue::text(std::move(text));
}

/// float(text) or int(text).
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  text = py_strip(text, true, true);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Expected<JinjaValue> number_filter(const JinjaFilterCall& call) {
  const bool whole = call.name == "int";
  KV_ASSIGN(const auto bound, call.bound({"default"}));
  if (call.value.is_undefined()) return jinja_refuse(call.what + " of an undefined value");
  const JinjaValue otherwise = bound.has(0) ? bound.value(0) : whole ? JinjaValue::integer(0) : JinjaValue::real(0.0);
  std::optional<double> number;
  if (const std::string* const text = call.value.as_text()) {
    if (const auto integer = whole ? number_of<std::int64_t>(*text) : std::nullopt)
      return JinjaValue::integer(*integer);
    number = number_of<double>(*text);
  } else if (call.value.is_integer() && whole) {
    return JinjaValue::integer(call.value.as_integer());
  } else if (call.value.is_number()) {
    number = call.value.as_real();
  }
  if (!number) return otherwise;
  if (!whole) return JinjaValue::real(*number);
  if (!std::isfinite(*number)) return otherwise;
  if (std::abs(*number) > 9e18) return jinja_refuse("a whole number of more than 64 bits is not supported");
  return JinjaValue::integer(static_cast<std::int64_t>(*number));
}

Expected<JinjaValue> abs_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  if (!call.value.is_number()) return jinja_refuse(call.what + " of " + call.value.kind_name());
  if (!call.value.is_integer()) return JinjaValue::real(std::abs(call.value.as_real()));
  return call.value.as_integer() < 0 ? jinja_arithmetic("-", JinjaValue::integer(0), call.value, call.budget)
                                     : Expected<JinjaValue>(JinjaValue::integer(call.value.as_integer()));
}

Expected<JinjaValue> round_filter(const JinjaFilterCall& call) {
  KV_ASSIGN(const auto bound, call.bound({"precision", "method"}));
  KV_ASSIGN(const std::int64_t precision, bound.integer(0, 0));
  KV_ASSIGN(const std::string method, bound.text(1, "common"));
  if (!call.value.is_number() || precision < 0 || precision > 15)
    return jinja_refuse(call.what + " of " + call.value.kind_name() + " with this precision");
  if (method == "ceil" || method == "floor") {
    const double scale = std::pow(10.0, static_cast<double>(precision));
    const double scaled = call.value.as_real() * scale;
    return JinjaValue::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
  }
  if (method != "common") return jinja_refuse(call.what + ": method must be common, ceil or floor");
  if (call.value.is_integer()) return JinjaValue::integer(call.value.as_integer());
  char digits[400];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, call.value.as_real(),
                                          std::chars_format::fixed, static_cast<int>(precision));
  double rounded = call.value.as_real();
  if (error == std::errc()) std::from_chars(digits, end, rounded);
  return JinjaValue::real(rounded);
}

Expected<JinjaValue> wordcount_filter(const JinjaFilterCall& call) {
  KV_TRY(call.bound({}));
  KV_ASSIGN(const std::string text, call.text());
  std::int64_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const bool word = is_word(next_character(text, at));
    words += word && !inside ? 1 : 0;
    inside = word;
  }
  return JinjaValue::integer(words);
}

constexpr std::array<std::pair<std::string_view, JinjaFilter>, 14> text_filters{{
    {"string", string_filter},
    {"upper", case_filter},
    {"lower", case_filter},
    {"capitalize", case_filter},
    {"title", case_filter},
    {"trim", trim_filter},
    {"replace", replace_filter},
    {"indent", indent_filter},
    {"tojson", tojson_filter},
    {"int", number_filter},
    {"float", number_filter},
    {"abs", abs_filter},
    {"round", round_filter},
    {"wordcount", wordcount_filter},
}};

}  // namespace

JinjaFilter jinja_text_filter(const std::string& name) {
  for (const auto& [known, filter] : text_filters)
    if (name == known) return filter;
  return nullptr;
}

Expected<std::string> JinjaFilterCall::text() const { return jinja_text_of(value, budget); }

}  // namespace kvantage::inline jinja
