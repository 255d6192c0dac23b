// The commands and options that help shows, for what is generated from them: docs/cli.md, manual pages and completion.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::cli {

struct ListedCommand {
  const CLI::App* app;
  std::string path;  // "runs list"; empty: the program itself
};

/// Commands that do something, in the order of help.
std::vector<ListedCommand> listed_commands(const CLI::App& program);
/// Those with commands below them: the program first, then "runs", "model", ...
std::vector<ListedCommand> command_groups(const CLI::App& program);
/// Below the commands whose argument is a command: {"workload", "man workload"}, ...
std::vector<ListedCommand> argument_groups(const CLI::App& program);
/// The one of `commands` with this path; no words: the program. usage error: there is none.
Expected<ListedCommand> find_command(const std::vector<ListedCommand>& commands, const std::vector<std::string>& words);
/// Of a group, as help shows them.
std::vector<const CLI::App*> shown_commands(const CLI::App& group);

/// Arguments first, then options; without --help, --help-all and hidden ones.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

std::vector<std::string> names_of_commands(const CLI::App& group);
/// As completion walks the words of a line: "man workload" -> "man/workload".
std::string walked(std::string path);

/// The argument of help and man, a command.
inline constexpr const char* command_argument = "COMMAND";

/// "WORKLOAD" or "--policy"; of several names the long ones, comma-separated.
std::string option_names(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
bool takes_several(const CLI::Option& option);
/// Its default as text, without paths of this machine; empty: none.
std::string default_text(const CLI::Option& option);
/// "kvantage-cli run [OPTIONS] [WORKLOAD]".
std::string usage_text(const ListedCommand& command);

inline constexpr const char* exit_codes =
    "0 success, 1 failure, 2 usage error, 3 rejected input, 130 interrupted (Ctrl-C keeps and shows what was done)";

}  // namespace kvantage::cli
