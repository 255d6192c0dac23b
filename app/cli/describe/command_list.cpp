#include "app/cli/describe/command_list.h"

#include <algorithm>

#include "app/cli/base/recorded_runs.h"
#include "core/base/did_you_mean.h"

namespace kvantage::cli {
namespace {

void add_commands(const CLI::App& group, const std::string& above, std::vector<ListedCommand>& commands,
                  std::vector<ListedCommand>& groups) {
  groups.push_back({&group, above});
  for (const CLI::App* command : shown_commands(group)) {
    const std::string path = (above.empty() ? "" : above + " ") + command->get_name();
    if (shown_commands(*command).empty())
      commands.push_back({command, path});
    else
      add_commands(*command, path, commands, groups);
  }
}

}  // namespace

std::vector<ListedCommand> listed_commands(const CLI::App& program) {
  std::vector<ListedCommand> commands, groups;
  add_commands(program, "", commands, groups);
  return commands;
}

std::vector<ListedCommand> command_groups(const CLI::App& program) {
  std::vector<ListedCommand> commands, groups;
  add_commands(program, "", commands, groups);
  return groups;
}

std::vector<ListedCommand> argument_groups(const CLI::App& program) {
  std::vector<ListedCommand> groups;
  for (const ListedCommand& command : listed_commands(program))
    if (std::ranges::any_of(shown_options(*command.app),
                            [](const CLI::Option* option) { return option_names(*option) == command_argument; }))
      for (const ListedCommand& group : command_groups(program))
        if (!group.path.empty()) groups.push_back({group.app, command.path + " " + group.path});
  return groups;
}

Expected<ListedCommand> find_command(const std::vector<ListedCommand>& commands,
                                     const std::vector<std::string>& words) {
  std::string path;
  for (const std::string& word : words) path += (path.empty() ? "" : " ") + word;
  const auto found = std::ranges::find(commands, path, &ListedCommand::path);
  if (found != commands.end()) return *found;
  return fail(ErrorCode::usage,
              "unknown command '" + path + "'; " +
                  did_you_mean(path, commands, "kvantage-cli --help lists them", &ListedCommand::path));
}

std::vector<const CLI::App*> shown_commands(const CLI::App& group) {
  return group.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> names_of_commands(const CLI::App& group) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(group)) names.push_back(command->get_name());
  return names;
}

std::string walked(std::string path) {
  if (const std::size_t last = path.rfind(' '); last != std::string::npos) path[last] = '/';
  return path;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  std::vector<const CLI::Option*> shown;
  for (const CLI::Option* option : command.get_options())
    if (option != command.get_help_ptr() && option != command.get_help_all_ptr() && !option->get_group().empty())
      shown.push_back(option);
  std::stable_partition(shown.begin(), shown.end(), [](const CLI::Option* option) { return option->get_positional(); });
  return shown;
}

std::string option_names(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string names;  // without the value that a flag of the library stands for: "--no-scores{false}"
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ",--") + name;
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool takes_several(const CLI::Option& option) { return option.get_expected_max() > 1; }

std::string default_text(const CLI::Option& option) {
  if (!takes_value(option)) return {};
  const std::string text = option.get_default_str();
  return text == default_database().string() ? "~/.cache/kvantage/stores/kvantage.db" : text;
}

std::string usage_text(const ListedCommand& command) {
  std::string usage = "kvantage-cli" + (command.path.empty() ? "" : " " + command.path);
  const std::vector<const CLI::Option*> shown = shown_options(*command.app);
  if (std::ranges::any_of(shown, [](const CLI::Option* option) { return !option->get_positional(); }))
    usage += " [OPTIONS]";
  for (const CLI::Option* option : shown) {
    if (!option->get_positional()) break;
    const std::string name = option->get_name(true, false) + (takes_several(*option) ? "..." : "");
    usage += option->get_required() ? " " + name : " [" + name + "]";
  }
  return usage;
}

}  // namespace kvantage::cli
