#include "app/cli/base/value_type.h"

namespace kvantage::cli {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace

ValueType value_type(const CLI::Option& option) {
  const std::string whole = option.get_type_name();
  const std::size_t colon = whole.find(':');
  ValueType type{whole.substr(0, colon), {}, {}};
  if (type.name == "UINT") type.name = "INT";  // the range says it, and so do the checks of values
  if (colon == std::string::npos) return type;
  const std::string check = whole.substr(colon + 1);
  constexpr std::string_view range = " in [";
  if (check.starts_with('{'))
    type.choices = check.substr(1, check.find('}') - 1);
  else if (check == "NONNEGATIVE")
    type.range = "0 or more";
  else if (check == "POSITIVE")
    type.range = "above 0";
  else if (const std::size_t at = check.find(range); at != std::string::npos)
    type.range = replaced(check.substr(at + range.size(), check.find(']') - at - range.size()), " - ", " to ");
  return type;
}

std::string type_text(const ValueType& type, const std::string& default_value) {
  std::string text = type.choices.empty() ? type.name : "{" + type.choices + "}";
  if (!default_value.empty()) text += "=" + default_value;
  return type.range.empty() ? text : text + ", " + type.range;
}

std::string choices_text(const ValueType& type) { return replaced(type.choices, ",", ", "); }

std::string type_noun(const ValueType& type) {
  if (!type.choices.empty()) return "one of " + choices_text(type);
  const std::string noun = type.name == "INT" ? "a whole number" : type.name == "FLOAT" ? "a number" : "a text";
  if (type.range.empty()) return noun;
  const bool between = type.range.find(" to ") != std::string::npos;
  if (between) return noun + " from " + type.range;
  return noun + (type.range.starts_with("above") ? " " : ", ") + type.range;
}

}  // namespace kvantage::cli
