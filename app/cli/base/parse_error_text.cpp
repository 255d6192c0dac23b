#include "app/cli/base/parse_error_text.h"

#include <string_view>

#include "app/cli/base/value_type.h"

namespace kvantage::cli {
namespace {

struct Parts {
  std::string before, after;  // both empty: `between` is not in the text
};

Parts parted(const std::string& text, std::string_view between) {
  const std::size_t at = text.find(between);
  if (at == std::string::npos) return {};
  return {text.substr(0, at), text.substr(at + between.size())};
}

/// The option that the library names; null: none of this command.
const CLI::Option* named_option(const CLI::App& command, const std::string& name) {
  if (name.empty()) return nullptr;
  const auto found = command.get_options([&](const CLI::Option* option) { return option->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string wrong_value(const CLI::Option& option, const std::string& value) {
  return option.get_name() + ": '" + value + "' is not " + type_noun(value_type(option)) + "; give one";
}

/// "Could not convert: --alpha = abc", "--limit: Value 0 not in range 1 to 9".
std::string value_error(const CLI::App& command, const std::string& text) {
  constexpr std::string_view unread = "Could not convert: ", value = "Value ";
  if (text.starts_with(unread)) {
    const Parts parts = parted(text.substr(unread.size()), " = ");
    const CLI::Option* option = named_option(command, parts.before);
    return option == nullptr ? text : wrong_value(*option, parts.after);
  }
  const Parts parts = parted(text, ": ");
  const CLI::Option* option = named_option(command, parts.before);
  const std::size_t end = parts.after.rfind(" not in range ");
  if (option == nullptr || !parts.after.starts_with(value) || end == std::string::npos) return text;
  return wrong_value(*option, parts.after.substr(value.size(), end - value.size()));
}

/// "--seed: 1 required UINT missing", "--limit: At Most 1 required but received 2", "details was given a disallowed
/// flag override".
std::string count_error(const CLI::App& command, const std::string& text) {
  constexpr std::string_view override_text = " was given a disallowed flag override";
  if (text.ends_with(override_text)) {
    const std::string name = text.substr(0, text.size() - override_text.size());
    const std::string flag = (name.size() == 1 ? "-" : "--") + name;
    return flag + " takes no value; write '" + flag + "' alone";
  }
  const Parts parts = parted(text, ": ");
  const CLI::Option* option = named_option(command, parts.before);
  if (option == nullptr) return text;
  if (parts.after.ends_with(" missing")) {
    const ValueType type = value_type(*option);
    const std::string value = type.choices.empty() ? type.name : type.choices.substr(0, type.choices.find(','));
    return parts.before + ": its value is missing; write '" + parts.before + " " + value + "'";
  }
  if (const Parts most = parted(parts.after, "At Most 1 required but received "); !most.after.empty())
    return parts.before + ": is given " + most.after + " times; give it once";
  return text;
}

/// "RUN is required", "--out is required".
std::string missing(const CLI::App& command, const std::string& path, const std::string& text) {
  const std::string name = parted(text, " is required").before;
  const CLI::Option* option = named_option(command, name);
  if (option == nullptr) return text;
  if (option->get_positional()) return name + " is missing; write '" + path + " " + arguments_of(command) + "'";
  return name + " is missing; add '" + name + " " + value_type(*option).name + "'";
}

}  // namespace

std::string arguments_of(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && !option->get_group().empty())
      names += (names.empty() ? "" : " ") + option->get_name(true, false);
  return names;
}

std::string parse_error_text(const CLI::App& command, const std::string& path, const CLI::Error& error) {
  std::string text = error.what();
  if (text.ends_with('.')) text.pop_back();
  if (error.get_name() == "ConversionError" || error.get_name() == "ValidationError") return value_error(command, text);
  if (error.get_name() == "ArgumentMismatch") return count_error(command, text);
  if (error.get_name() == "RequiredError") return missing(command, path, text);
  if (error.get_name() == "RequiresError") {
    const Parts parts = parted(text, " requires ");
    return parts.before.empty() ? text : parts.before + ": needs " + parts.after + "; add it";
  }
  if (error.get_name() == "ExcludesError") {
    const Parts parts = parted(text, " excludes ");
    return parts.before.empty() ? text : parts.before + " and " + parts.after + " exclude each other; give one of them";
  }
  return text;
}

}  // namespace kvantage::cli
