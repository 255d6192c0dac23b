#include "core/base/text_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"

namespace kvantage {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<int> as_integer(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The shortest text of a number; nothing for anything else.
std::optional<std::string> as_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  char shortest[32];
  return std::string(shortest, std::to_chars(shortest, std::end(shortest), value).ptr);
}

bool is_real(std::string_view default_value) { return default_value.find('.') != std::string_view::npos; }

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The pairs of "a=1,b=2" in `arguments`; false when one is not key=value.
bool read_pairs(std::span<const FormText::Argument> arguments, Pairs& pairs) {
  for (const FormText::Argument& argument : arguments) {
    const auto key = trimmed(argument.key), value = trimmed(argument.value);
    if (!is_word(key) || value.empty() || value.find_first_of("()") != std::string_view::npos) return false;
    pairs.emplace_back(key, value);
  }
  return true;
}

tl::unexpected<Error> wrong(const std::string& method, const std::string& reason) {
  return fail(ErrorCode::usage, "method '" + method + "': " + reason);
}

constexpr const char* no_pairs = "not of the form name(parameter=value,...); write it like snapkv(window=32)";

}  // namespace

Expected<MethodText> read_method_text(std::string_view text) {
  const auto form = FormText::read(trimmed(text), "method");
  if (!form) return wrong(std::string(trimmed(text)), no_pairs);
  return method_text_of(*form, form->arguments());
}

Expected<MethodText> method_text_of(const FormText& form, std::span<const FormText::Argument> arguments) {
  const auto name = trimmed(form.name());
  MethodText result{std::string(name), {}};
  const bool none = arguments.empty() || (arguments.size() == 1 && arguments.front().key.empty() &&
                                          trimmed(arguments.front().value).empty());
  if (!none && !read_pairs(arguments, result.values)) return wrong(std::string(form.text()), no_pairs);
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (small != name && is_word(small))
    return wrong(std::string(form.text()), "names are written in lower case; did you mean '" + small + "'?");
  if (!is_word(name))
    return wrong(std::string(form.text()),
                 "not of the form name or name(parameter=value,...); write it like lru or snapkv(window=32)");
  return result;
}

Expected<Parameters> Parameters::resolve(const MethodText& text, std::string_view defaults) {
  Parameters result;
  result.name_ = text.name;
  Pairs pairs;
  std::vector<FormText::Argument> known;
  if (!defaults.empty())
    for (const std::string_view piece : split_outside_parentheses(defaults, ','))
      known.push_back(FormText::argument_of(piece));
  read_pairs(known, pairs);
  for (auto& [key, value] : pairs) result.parameters_.push_back({key, value, value});
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : text.values) {
    const auto at = std::ranges::find(result.parameters_, key, &Parameter::key);
    if (at == result.parameters_.end()) {
      if (defaults.empty()) return wrong(text.name, "takes no parameters; remove '" + key + "'");
      std::vector<std::string_view> keys;
      for (const Parameter& parameter : result.parameters_) keys.push_back(parameter.key);
      return wrong(text.name,
                   "unknown parameter '" + key + "'; " + did_you_mean(key, keys, "it has " + std::string(defaults)));
    }
    if (std::ranges::find(seen, key) != seen.end()) return wrong(text.name, "'" + key + "' is given twice; keep one");
    seen.push_back(key);
    if (is_real(at->default_value)) {
      const auto real = as_real(value);
      if (!real)
        return wrong(text.name, "'" + key + "=" + value + "': not a number; give one like " + at->default_value);
      // A default keeps its own spelling, so that it is recognized as the default.
      at->value = *real == *as_real(at->default_value) ? at->default_value : *real;
      continue;
    }
    const auto number = as_integer(value);
    if (number.has_value() != as_integer(at->default_value).has_value())
      return wrong(text.name, "'" + key + "=" + value + "': of another type; give a value like " + at->default_value);
    at->value = number ? std::to_string(*number) : value;
  }
  return result;
}

const std::string& Parameters::value(std::string_view key) const {
  return std::ranges::find(parameters_, key, &Parameter::key)->value;
}

Expected<int> Parameters::integer(std::string_view key, int least, int most) const {
  const int number = as_integer(value(key)).value();
  if (number < least || number > most)
    return wrong(name_, std::string(key) + "=" + std::to_string(number) + " is out of range; give a number from " +
                            std::to_string(least) + " to " + std::to_string(most));
  return number;
}

Expected<double> Parameters::real(std::string_view key, double least, double most) const {
  const std::string& text = value(key);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // validated when parsed
  if (number < least || number > most)
    return wrong(name_, std::string(key) + "=" + text + " is out of range; give a number from " +
                            as_real(std::to_string(least)).value() + " to " + as_real(std::to_string(most)).value());
  return number;
}

Expected<std::string> Parameters::word(std::string_view key, std::vector<std::string_view> choices) const {
  if (std::ranges::find(choices, value(key)) != choices.end()) return value(key);
  std::string list;
  for (std::string_view choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return wrong(name_, "unknown " + std::string(key) + " '" + value(key) + "'; choose one of " + list);
}

std::string Parameters::canonical_text() const {
  std::string inside;
  for (const Parameter& parameter : parameters_)
    if (parameter.value != parameter.default_value)
      inside += (inside.empty() ? "" : ",") + parameter.key + "=" + parameter.value;
  return inside.empty() ? name_ : name_ + "(" + inside + ")";
}

}  // namespace kvantage
