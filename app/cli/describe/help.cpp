// kvantage-cli help: what --help of a command prints, as in "kvantage-cli help workload make".
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_type.h"
#include "app/cli/commands.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/describe/examples.h"
#include "app/cli/session_options.h"

namespace kvantage::cli {
namespace {

Expected<ListedCommand> command_of(const CLI::App& program, const std::vector<std::string>& words) {
  std::vector<ListedCommand> all = command_groups(program);
  const std::vector<ListedCommand> commands = listed_commands(program);
  all.insert(all.end(), commands.begin(), commands.end());
  return find_command(all, words);
}

std::string help_text(const CLI::App& program, const ListedCommand& command) {
  const std::string name = program.get_name() + (command.path.empty() ? "" : " " + command.path);
  // App::help() would print this command's own.
  return command.app->get_formatter()->make_help(command.app, name, CLI::AppFormatMode::Normal);
}

OrderedJson option_json(const CLI::Option& option) {
  const ValueType type = value_type(option);
  OrderedJson json{{"name", option_names(option)},
                   {"positional", option.get_positional()},
                   {"required", option.get_required()},
                   {"repeatable", takes_several(option)},
                   {"description", option.get_description()}};
  if (!takes_value(option)) return json;
  json["value"] = type.name;
  if (!type.choices.empty()) json["choices"] = type.choices;
  if (!type.range.empty()) json["range"] = type.range;
  if (const std::string value = default_text(option); !value.empty()) json["default"] = value;
  return json;
}

OrderedJson help_json(const ListedCommand& command) {
  OrderedJson options = OrderedJson::array();
  for (const CLI::Option* option : shown_options(*command.app)) options.push_back(option_json(*option));
  return {{"command", command.path},
          {"description", command.app->get_description()},
          {"usage", usage_text(command)},
          {"options", options},
          {"commands", names_of_commands(*command.app)},
          {"examples", examples_of(command.path)}};
}

}  // namespace

void add_help(CLI::App& program, CommandResult& result) {
  struct Arguments {
    std::vector<std::string> command;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("help", "Print the help of the program or of a command");
  command.add_option("COMMAND", arguments->command, "Command, such as run or workload make (default: the program)");
  add_json_option(command, arguments->json);
  command.callback([arguments, &program, &result] {
    const auto wanted = command_of(program, arguments->command);
    result.exit_code = wanted ? 0 : report_error(wanted.error());
    if (!wanted) return;
    if (arguments->json)
      print_json(help_json(*wanted), 2);
    else
      std::fputs(help_text(program, *wanted).c_str(), stdout);
  });
}

}  // namespace kvantage::cli
