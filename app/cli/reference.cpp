// kvantage-cli reference: docs/cli.md, generated from the commands so that it cannot differ from --help.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/commands.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t max_columns = 120;

std::string on_page(std::string_view text, std::string_view indent) { return cli::wrapped(text, indent, max_columns); }

/// Its names and arguments, as shown by --help.
std::string signature(const CLI::Option& option) {
  std::string text = "`" + option.get_name(option.get_positional(), !option.get_positional());
  if (option.get_type_size() != 0) {
    if (!option.get_type_name().empty()) text += " " + option.get_type_name();
    const bool database = option.get_default_str() == default_database().string();  // a machine-specific path
    if (!option.get_default_str().empty())
      text += "=" + (database ? "~/.cache/kvantage/stores/kvantage.db" : option.get_default_str());
    if (option.get_expected_max() > 1) text += " ...";
  }
  text += "`";
  if (option.get_required()) text += " (required)";
  return text;
}

/// `path`: the command's name, preceded by its parents'.
void print_command(const CLI::App& command, const std::string& path) {
  std::printf("\n## %s\n\n", path.c_str());
  std::printf("%s.\n", on_page(command.get_description(), "").c_str());
  std::string usage = path;
  std::vector<const CLI::Option*> shown;
  for (const CLI::Option* option : command.get_options())
    if (option != command.get_help_ptr() && option != command.get_help_all_ptr() && !option->get_group().empty())
      shown.push_back(option);
  std::stable_partition(shown.begin(), shown.end(), [](const CLI::Option* option) { return option->get_positional(); });
  if (std::ranges::any_of(shown, [](const CLI::Option* option) { return !option->get_positional(); }))
    usage += " [OPTIONS]";
  for (const CLI::Option* option : shown) {
    if (!option->get_positional()) break;
    const std::string name =
        option->get_name(true, false) + (option->get_expected_max() > 1 ? std::string("...") : std::string());
    usage += option->get_required() ? " " + name : " [" + name + "]";
  }
  std::printf("\n    %s\n", usage.c_str());
  if (!shown.empty()) std::printf("\n");
  for (const CLI::Option* option : shown)
    std::printf("%s\n", on_page("- " + signature(*option) + ": " + option->get_description(), "  ").c_str());
}

void print_commands(const CLI::App& parent, const std::string& path) {
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // hidden
    const std::string below = path + " " + command->get_name();
    if (command->get_subcommands([](const CLI::App*) { return true; }).empty())
      print_command(*command, below);
    else
      print_commands(*command, below);
  }
}

void print_reference(const CLI::App& program) {
  std::printf("# Command line\n\n");
  std::printf("<!-- Printed by `kvantage-cli reference`; do not edit. -->\n\n");
  std::printf("%s\n",
              on_page("Every command prints its options with `--help`. `WORKLOAD` is a workload folder, the name "
                      "of a sample (`kvantage-cli workload list`), a text file or a folder of texts. Sizes are "
                      "written like `12MiB`, rates like `540MB/s`, times like `0.2ms`.",
                      "")
                  .c_str());
  std::printf("\n%s\n", on_page("Exit codes: 0 success, 1 failure, 2 usage error, 3 rejected input, 130 interrupted "
                                "(Ctrl-C keeps and shows what was done).",
                                "")
                            .c_str());
  print_commands(program, program.get_name());
}

}  // namespace

void add_reference(CLI::App& program, CommandResult& result) {
  CLI::App& command = *program.add_subcommand("reference", "Print docs/cli.md");
  command.group("");  // not for users: excluded from --help and from the printed reference
  command.callback([&program, &result] {
    print_reference(program);
    result.exit_code = 0;
  });
}

}  // namespace kvantage::cli
