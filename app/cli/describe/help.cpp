// kvantage-cli help: what --help of a command prints, as in "kvantage-cli help workload make".
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/session_options.h"

namespace kvantage::cli {
namespace {

Expected<std::string> help_of(const CLI::App& program, const std::vector<std::string>& words) {
  std::vector<ListedCommand> all = command_groups(program);
  const std::vector<ListedCommand> commands = listed_commands(program);
  all.insert(all.end(), commands.begin(), commands.end());
  KV_ASSIGN(const auto found, find_command(all, words));
  const std::string name = program.get_name() + (found.path.empty() ? "" : " " + found.path);
  // App::help() would print this command's own.
  return found.app->get_formatter()->make_help(found.app, name, CLI::AppFormatMode::Normal);
}

}  // namespace

void add_help(CLI::App& program, CommandResult& result) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& command = *program.add_subcommand("help", "Print the help of the program or of a command");
  command.add_option("COMMAND", *words, "Command, such as run or workload make (default: the program)");
  command.callback([words, &program, &result] {
    const auto text = help_of(program, *words);
    if (text) std::fputs(text->c_str(), stdout);
    result.exit_code = text ? 0 : report_error(text.error());
  });
}

}  // namespace kvantage::cli
