#include <string>

#include "app/cli/base/help_text.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/describe/completion_scripts.h"
#include "app/cli/describe/option_values.h"

namespace kvantage::cli {
namespace {

constexpr const char* fish_list = R"(
function __kvantage_cli_list  # NAMES: the word is a list that ends with one of them
    set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    printf '%s\n' "$before"$argv
end

function __kvantage_cli_at  # COMMAND: whether this is what the words so far call
    set -l called (__kvantage_cli_command)
    test "$called" = "$argv[1]"
end

complete -c kvantage-cli -f
)";

std::string fish_text(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter == '\n' ? ' ' : letter;
  }
  return quoted + "'";
}

std::string fish_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string fish_values(const OptionValues& values) {
  std::string text;
  if (!values.names.empty() && values.list)
    text = " -a " + fish_text("(__kvantage_cli_list " + fish_words(values.names) + ")");
  else if (!values.names.empty())
    text = " -a " + fish_text(fish_words(values.names));
  if (values.paths == OptionValues::Paths::folders) return text + " -a '(__fish_complete_directories)'";
  return values.paths == OptionValues::Paths::files ? text + " -F" : text;
}

std::string fish_option(const CLI::App& program, const std::string& command, const CLI::Option& option) {
  const std::string at = "complete -c kvantage-cli -n " + fish_text("__kvantage_cli_at '" + command + "'");
  const std::string text = fish_text(first_sentence(option.get_description(), 90));
  const OptionValues values = values_of(program, command, option);
  if (option.get_positional())
    return values.names.empty() && fish_values(values).empty() ? "" : at + fish_values(values) + "\n";
  const bool files = values.paths == OptionValues::Paths::files;
  std::string lines;
  for (const std::string& name : option.get_lnames())
    lines += at + " -l " + name + (takes_value(option) ? (files ? " -r" : " -x") + fish_values(values) : "") + " -d " +
             text + "\n";
  return lines;
}

}  // namespace

std::string fish_completion(const CLI::App& program) {
  std::string text =
      "# fish completion of kvantage-cli, printed by `kvantage-cli completion fish`.\n\n"
      "function __kvantage_cli_command  # that the words so far call: 'trace info'\n    set -l path ''\n"
      "    for word in (commandline -opc)[2..]\n        switch \"$path/$word\"\n";
  for (const ListedCommand& group : command_groups(program)) {
    std::string patterns;
    for (const CLI::App* command : shown_commands(*group.app))
      patterns += " '" + group.path + "/" + command->get_name() + "'";
    text += "            case" + patterns + "\n                set path " +
            (group.path.empty() ? "$word" : "'" + group.path + " '$word") + "\n";
  }
  for (const ListedCommand& group : argument_groups(program))
    text += "            case '" + walked(group.path) + "'\n                set path '" + group.path + "'\n";
  text += std::string("        end\n    end\n    echo $path\nend\n") + fish_list;
  std::vector<ListedCommand> groups = command_groups(program);
  for (const ListedCommand& group : argument_groups(program)) groups.push_back(group);
  for (const ListedCommand& group : groups) {
    for (const CLI::App* command : shown_commands(*group.app))
      text += "complete -c kvantage-cli -n " + fish_text("__kvantage_cli_at '" + group.path + "'") + " -a " +
              command->get_name() + " -d " + fish_text(first_sentence(command->get_description(), 90)) + "\n";
  }
  text +=
      "complete -c kvantage-cli -n \"__kvantage_cli_at ''\" -l version -d 'Print the version'\n"
      "complete -c kvantage-cli -s h -l help -d 'Print help'\n"
      "complete -c kvantage-cli -l help-all -d 'Print every option in full'\n";
  for (const ListedCommand& command : listed_commands(program))
    for (const CLI::Option* option : shown_options(*command.app)) text += fish_option(program, command.path, *option);
  return text;
}

}  // namespace kvantage::cli
