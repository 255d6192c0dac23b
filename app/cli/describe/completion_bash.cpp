#include <map>
#include <string>
#include <vector>

#include "app/cli/describe/command_list.h"
#include "app/cli/describe/completion_scripts.h"
#include "app/cli/describe/option_values.h"

namespace kvantage::cli {
namespace {

// COMP_WORDBREAKS has '=', so --option=value comes as three words; a quote that is still open belongs to the word.
constexpr const char* bash_head = R"(# bash completion of kvantage-cli, printed by `kvantage-cli completion bash`.

_kvantage_cli_names() {  # NAMES: the word is one of them, or a list that ends with one
  local before=""
  [[ $2 == list && $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "${cur#"$before"}")
  COMPREPLY=("${COMPREPLY[@]/#/$before}")
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

_kvantage_cli_paths() {  # -f: files, -d: folders
  local paths
  mapfile -t paths < <(compgen "$1" -- "$cur")
  COMPREPLY+=("${paths[@]}")
  # readline itself knows ~ where this finds nothing
  if [[ $1 == -f ]]; then compopt -o filenames -o default; else compopt -o filenames -o dirnames; fi
}

_kvantage_cli() {
  local cur=${COMP_WORDS[COMP_CWORD]} command="" option="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command/${COMP_WORDS[i]}" in
)";

constexpr const char* bash_value = R"(    esac
  done
  if [[ $cur == "=" ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} cur=""
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == "=" ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[COMP_CWORD - 1]} == --* ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  cur=${cur#[\'\"]}
  case "$command $option" in
)";

constexpr const char* bash_words = R"(  esac
  local options="" names="" paths=""
  case "$command" in
)";

constexpr const char* bash_tail = R"(  esac
  if [[ $cur == -* ]]; then
    _kvantage_cli_names "$options"
    return
  fi
  _kvantage_cli_names "$names"
  [[ -n $paths ]] && _kvantage_cli_paths "$paths"
}

complete -F _kvantage_cli kvantage-cli
)";

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string bash_paths(OptionValues::Paths paths) {
  return paths == OptionValues::Paths::files ? "-f" : paths == OptionValues::Paths::folders ? "-d" : "";
}

/// What completes a value; ":" where nothing is known of it, so that no option is offered in its place.
std::string bash_action(const OptionValues& values) {
  std::string text;
  if (!values.names.empty())
    text = "_kvantage_cli_names \"" + spaced(values.names) + "\"" + (values.list ? " list" : "");
  if (const std::string paths = bash_paths(values.paths); !paths.empty())
    text += (text.empty() ? "" : "; ") + ("_kvantage_cli_paths " + paths);
  return text.empty() ? ":" : text;
}

std::vector<std::string> long_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// Which words begin which command.
std::string bash_commands(const CLI::App& program) {
  std::string text;
  for (const ListedCommand& group : command_groups(program)) {
    std::string patterns;
    for (const CLI::App* command : shown_commands(*group.app))
      patterns += (patterns.empty() ? "" : "|") + ("\"" + group.path + "/" + command->get_name() + "\"");
    const std::string path = group.path.empty() ? "" : group.path + " ";
    text += "      " + patterns + ") command=\"" + path + "${COMP_WORDS[i]}\" ;;\n";
  }
  for (const ListedCommand& group : argument_groups(program))
    text += "      \"" + walked(group.path) + "\") command=\"" + group.path + "\" ;;\n";
  return text;
}

/// Options of several commands that take the same values are one case.
std::string bash_values(const CLI::App& program) {
  std::map<std::string, std::string> patterns;  // by action
  for (const ListedCommand& command : listed_commands(program))
    for (const CLI::Option* option : shown_options(*command.app)) {
      if (option->get_positional() || !takes_value(*option)) continue;
      std::string& of_action = patterns[bash_action(values_of(program, command.path, *option))];
      for (const std::string& name : long_names(*option))
        of_action += (of_action.empty() ? "    " : "|\\\n    ") + ("\"" + command.path + " " + name + "\"");
    }
  std::string text;
  for (const auto& [action, of_action] : patterns) text += of_action + ")\n      " + action + "; return ;;\n";
  return text;
}

/// Options and what stands without one, by command.
std::string bash_command_words(const CLI::App& program) {
  std::string text;
  for (const ListedCommand& group : command_groups(program)) {
    const std::vector<std::string> names = names_of_commands(*group.app);
    text += "    \"" + group.path + "\") options=\"--help --help-all" + (group.path.empty() ? " --version" : "") +
            "\" names=\"" + spaced(names) + "\" ;;\n";
  }
  for (const ListedCommand& group : argument_groups(program))
    text += "    \"" + group.path + "\") names=\"" + spaced(names_of_commands(*group.app)) + "\" ;;\n";
  for (const ListedCommand& command : listed_commands(program)) {
    std::vector<std::string> options{"--help", "--help-all"};
    OptionValues argument;
    for (const CLI::Option* option : shown_options(*command.app)) {
      if (option->get_positional() && argument.names.empty() && argument.paths == OptionValues::Paths::none)
        argument = values_of(program, command.path, *option);
      for (const std::string& name : long_names(*option)) options.push_back(name);
    }
    text += "    \"" + command.path + "\") options=\"" + spaced(options) + "\" names=\"" + spaced(argument.names) +
            "\" paths=\"" + bash_paths(argument.paths) + "\" ;;\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  return bash_head + bash_commands(program) + bash_value + bash_values(program) + bash_words +
         bash_command_words(program) + bash_tail;
}

}  // namespace kvantage::cli
