#include <algorithm>
#include <string>

#include "app/cli/base/help_text.h"
#include "app/cli/base/value_type.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/describe/completion_scripts.h"
#include "app/cli/describe/option_values.h"

namespace kvantage::cli {
namespace {

/// Within single quotes, in a description of _arguments or _describe.
std::string zsh_text(const std::string& text) {
  std::string quoted;
  for (const char letter : text) {
    if (letter == '\'')
      quoted += "'\\''";
    else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
      quoted += std::string("\\") + letter;
    else
      quoted += letter == '\n' ? ' ' : letter;
  }
  return quoted;
}

std::string zsh_action(const OptionValues& values) {
  std::string names;
  for (const std::string& name : values.names) names += (names.empty() ? "" : " ") + name;
  const std::string files = values.paths == OptionValues::Paths::folders ? "_files -/" : "_files";
  if (values.names.empty()) return values.paths == OptionValues::Paths::none ? " " : files;
  if (values.list) return "_sequence compadd - " + names;
  // A value follows the sign.
  if (std::ranges::any_of(values.names, [](const std::string& name) { return name.ends_with('='); }))
    return "{compadd -S \"\" - " + names + "}";
  if (values.paths == OptionValues::Paths::none) return "(" + names + ")";
  return "{compadd - " + names + "; " + files + "}";
}

std::string zsh_option(const CLI::App& program, const std::string& command, const CLI::Option& option) {
  const std::string text = zsh_text(first_sentence(option.get_description(), 90));
  std::string specs;
  if (option.get_positional()) {
    const std::string place = takes_several(option) ? "*" : "";
    return "    '" + place + ":" + zsh_text(option_names(option)) + ":" +
           zsh_action(values_of(program, command, option)) + "' \\\n";
  }
  for (const std::string& name : option.get_lnames()) {
    specs += "    '" + std::string(takes_several(option) ? "*" : "") + "--" + name;
    if (takes_value(option))
      specs += "=[" + text + "]:" + zsh_text(value_type(option).name) + ":" +
               zsh_action(values_of(program, command, option)) + "' \\\n";
    else
      specs += "[" + text + "]' \\\n";
  }
  return specs;
}

std::string zsh_case(const std::string& path, const std::string& specs) {
  return "  \"" + path + "\")\n    _arguments -s -S \\\n" + specs +
         "    '--help[Print help]' '--help-all[Print every " + "option in full]'\n    ;;\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& program) {
  std::string text =
      "#compdef kvantage-cli\n# zsh completion of kvantage-cli, printed by `kvantage-cli completion zsh`.\n\n"
      "local command=\"\" i\nlocal -a commands\nfor ((i = 2; i < CURRENT; ++i)); do\n  case \"$command/$words[i]\" "
      "in\n";
  for (const ListedCommand& group : command_groups(program)) {
    std::string patterns;
    for (const CLI::App* command : shown_commands(*group.app))
      patterns += (patterns.empty() ? "" : "|") + ("\"" + group.path + "/" + command->get_name() + "\"");
    text += "    " + patterns + ") command=\"" + (group.path.empty() ? "" : group.path + " ") + "$words[i]\" ;;\n";
  }
  for (const ListedCommand& group : argument_groups(program))
    text += "    \"" + walked(group.path) + "\") command=\"" + group.path + "\" ;;\n";
  // _arguments takes the first word for the command.
  text +=
      "    *) break ;;\n  esac\ndone\n(( i > 2 )) && { words=(\"${(@)words[i-1,-1]}\"); (( CURRENT -= i - 2 )); }\n"
      "case \"$command\" in\n";
  for (const ListedCommand& group : command_groups(program)) {
    std::string names;
    for (const CLI::App* command : shown_commands(*group.app))
      names += "      '" + command->get_name() + ":" + zsh_text(first_sentence(command->get_description(), 90)) + "'\n";
    text += "  \"" + group.path + "\")\n    commands=(\n" + names + "    )\n    _arguments " +
            (group.path.empty() ? "'--version[Print the version]' " : "") +
            "'--help[Print help]' '--help-all[Print every option in full]' \\\n"
            "      '1:command:{_describe -t commands command commands}'\n    ;;\n";
  }
  for (const ListedCommand& group : argument_groups(program)) {
    std::string names;
    for (const std::string& name : names_of_commands(*group.app)) names += (names.empty() ? "" : " ") + name;
    text += "  \"" + group.path + "\")\n    _arguments '1:command:(" + names + ")'\n    ;;\n";
  }
  for (const ListedCommand& command : listed_commands(program)) {
    std::string specs;
    for (const CLI::Option* option : shown_options(*command.app)) specs += zsh_option(program, command.path, *option);
    text += zsh_case(command.path, specs);
  }
  return text + "esac\n";
}

}  // namespace kvantage::cli
