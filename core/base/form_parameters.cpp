#include "core/base/form_parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"

namespace kvantage {

namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Number>
std::string shortest(Number number) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// "REMOVED_FRACTION" in a sentence: "removed fraction".
std::string in_a_sentence(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string range_text(const ParameterInfo& info) {
  const std::string low = shortest(info.low), high = shortest(info.high);
  return (info.with_low ? "from " + low + " " : "above " + low + " and ") +
         (info.with_high ? (info.with_low ? "to " : "at most ")
                         : (info.with_low ? "up to but not including " : "below ")) +
         high;
}

std::string choices_of(const ParameterInfo& info) {
  switch (info.kind) {
    case ParameterInfo::Kind::word:
      return joined(info.choices, "|");
    case ParameterInfo::Kind::whole:
      return "N";
    case ParameterInfo::Kind::real:
      return "NUMBER";
    case ParameterInfo::Kind::text:
      break;
  }
  std::string key = info.key;
  std::ranges::transform(key, key.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return key;
}

template <class Value>
std::string form_with(std::string_view name, const std::vector<ParameterInfo>& parameters, Value value) {
  std::string inside;
  for (const ParameterInfo& info : parameters)
    inside += (inside.empty() ? "" : ",") + (info.is_required() ? info.key : info.key + "=" + value(info));
  return inside.empty() ? std::string(name) : std::string(name) + "(" + inside + ")";
}

/// The canonical text of a value: 0.30 becomes 0.3. Nothing where `value` does not fit the parameter; an error where
/// there is a more specific reason.
Expected<std::optional<std::string>> canonical_value(const ParameterInfo& info, std::string_view given,
                                                     const std::string& thing) {
  const std::string_view value = trimmed(given);
  switch (info.kind) {
    case ParameterInfo::Kind::word:
      if (std::ranges::find(info.choices, value) == info.choices.end()) return std::optional<std::string>();
      break;
    case ParameterInfo::Kind::whole: {
      const auto number = number_in<std::uint64_t>(value);
      return number ? std::optional(shortest(*number)) : std::nullopt;
    }
    case ParameterInfo::Kind::real: {
      const auto number = number_in<double>(value);
      const bool inside = number && (*number > info.low || (info.with_low && *number == info.low)) &&
                          (*number < info.high || (info.with_high && *number == info.high));
      if (!inside)
        return fail(ErrorCode::usage, thing + ": " + in_a_sentence(info.key) + " '" + printable(value) +
                                          "' is not a number " + range_text(info) + "; " + info.example);
      return std::optional(shortest(*number));
    }
    case ParameterInfo::Kind::text:
      if (info.read == nullptr) break;
      KV_ASSIGN(auto text, info.read(given));
      return std::optional(std::move(text));
  }
  return std::optional(std::string(value));
}

}  // namespace

ParameterInfo one_of(std::string key, std::string_view choices, std::string meaning) {
  ParameterInfo info{.key = std::move(key), .meaning = std::move(meaning)};
  for (const std::string_view choice : split_outside_parentheses(choices, '|')) info.choices.emplace_back(choice);
  info.default_value = info.choices.front();
  return info;
}

ParameterInfo whole_number(std::string key, std::uint64_t default_value, std::string meaning) {
  return {.key = std::move(key),
          .kind = ParameterInfo::Kind::whole,
          .default_value = std::to_string(default_value),
          .meaning = std::move(meaning)};
}

std::string form_with_defaults(std::string_view name, const std::vector<ParameterInfo>& parameters) {
  return form_with(name, parameters, [](const ParameterInfo& info) { return info.default_value; });
}

std::string form_with_choices(std::string_view name, const std::vector<ParameterInfo>& parameters) {
  return form_with(name, parameters, choices_of);
}

std::string parameter_text(const std::vector<ParameterInfo>& parameters) {
  std::string text;
  for (const ParameterInfo& info : parameters) {
    const std::string meaning = info.meaning.empty() ? joined(info.choices, ", ") : info.meaning;
    text += (text.empty() ? "" : "; ") + info.key + ": " + meaning;
  }
  return text;
}

Expected<FormArguments> FormArguments::resolve(const FormText& form, const std::vector<ParameterInfo>& parameters,
                                               std::string_view kind, std::string_view example) {
  const std::string thing = std::string(kind) + " '" + std::string(form.name()) + "'";
  const auto wrong_form = [&] {
    return fail(ErrorCode::usage, thing + ": arguments not understood; write " +
                                      form_with_choices(form.name(), parameters) +
                                      (parameters.empty() ? "" : ", e.g. " + std::string(example)));
  };
  if (const auto twice = form.repeated_key(); !twice.empty())
    return fail(ErrorCode::usage, thing + ": option '" + std::string(twice) + "' is given twice; give it once");
  std::vector<std::optional<std::string>> given(parameters.size());
  std::size_t position = 0;
  for (const FormText::Argument& argument : form.arguments()) {
    std::size_t at = position;
    const std::string_view key = trimmed(argument.key);
    if (key.empty()) {
      if (at >= parameters.size() || !parameters[at].is_required()) return wrong_form();
      ++position;
    } else {
      at = static_cast<std::size_t>(std::ranges::find(parameters, key, &ParameterInfo::key) - parameters.begin());
      if (at == parameters.size() || parameters[at].is_required()) {
        std::vector<std::string_view> known;
        for (const ParameterInfo& info : parameters)
          if (!info.is_required()) known.emplace_back(info.key);
        const std::string meant = did_you_mean(key, known, " ");
        if (meant == " ") return wrong_form();
        return fail(ErrorCode::usage, thing + ": unknown parameter '" + std::string(key) + "'; " + meant);
      }
    }
    KV_ASSIGN(auto value, canonical_value(parameters[at], argument.value, thing));
    if (!value && parameters[at].kind == ParameterInfo::Kind::word)
      return fail(ErrorCode::usage, thing + ": unknown " + in_a_sentence(parameters[at].key) + " '" +
                                        printable(trimmed(argument.value)) + "'; " +
                                        did_you_mean(trimmed(argument.value), parameters[at].choices));
    if (!value) return wrong_form();
    given[at] = std::move(value);
  }
  FormArguments result;
  std::string inside;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo& info = parameters[i];
    if (!given[i] && info.is_required()) return wrong_form();
    const std::string value = given[i].value_or(info.default_value);
    if (info.is_required())
      inside += (inside.empty() ? "" : ",") + value;
    else if (info.always_written || value != info.default_value)
      inside += (inside.empty() ? "" : ",") + info.key + "=" + value;
    result.values_.emplace_back(info.key, value);
  }
  result.canonical_ = std::string(form.name()) + (inside.empty() ? "" : "(" + inside + ")");
  return result;
}

const std::string& FormArguments::text(std::string_view key) const {
  return std::ranges::find(values_, key, &std::pair<std::string, std::string>::first)->second;
}

std::uint64_t FormArguments::whole(std::string_view key) const { return *number_in<std::uint64_t>(text(key)); }

double FormArguments::real(std::string_view key) const { return *number_in<double>(text(key)); }

}  // namespace kvantage
