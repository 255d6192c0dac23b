// kvantage-cli reference: docs/cli.md, generated from the commands so that it cannot differ from --help.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/base/value_type.h"
#include "app/cli/commands.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/describe/examples.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t max_columns = 120;

std::string on_page(std::string_view text, std::string_view indent) { return cli::wrapped(text, indent, max_columns); }

/// Its names and arguments, as shown by --help.
std::string signature(const CLI::Option& option) {
  std::string text = "`" + option_names(option);
  if (takes_value(option)) {
    text += " " + type_text(value_type(option), default_text(option));
    if (takes_several(option)) text += " ...";
  }
  text += "`";
  if (option.get_required()) text += " (required)";
  return text;
}

void print_examples(const std::string& path) {
  const std::vector<std::string> lines = examples_of(path);
  if (lines.empty()) return;
  std::printf("\n```sh\n");
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
  std::printf("```\n");
}

void print_command(const ListedCommand& command) {
  std::printf("\n## kvantage-cli %s\n\n", command.path.c_str());
  std::printf("%s.\n", on_page(command.app->get_description(), "").c_str());
  std::printf("\n    %s\n", usage_text(command).c_str());
  if (const JsonOutput* json = json_output(command.path))
    std::printf("\n%s\n", on_page(json_text(*json, "`"), "").c_str());
  print_examples(command.path);
  const std::vector<const CLI::Option*> shown = shown_options(*command.app);
  if (!shown.empty()) std::printf("\n");
  for (const CLI::Option* option : shown)
    std::printf("%s\n", on_page("- " + signature(*option) + ": " + option->get_description(), "  ").c_str());
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
  std::printf("\n%s\n",
              on_page("`--json` prints one JSON document to stdout and nothing else; `replay` and `model train` "
                      "print one per line. Every command has it. Errors, warnings and progress go to stderr. Keys are "
                      "neither renamed nor removed within a version.",
                      "")
                  .c_str());
  std::printf(
      "\n%s\n",
      on_page("On a terminal, long commands show a progress bar with the time that is left; `--quiet` hides it, and "
              "`NO_COLOR` disables colors. Shell completion covers bash, zsh and fish, and every command has a "
              "manual page ([packaging](packaging.md)).",
              "")
          .c_str());
  std::printf("\n%s\n", on_page(std::string("Exit codes: ") + exit_codes + ".", "").c_str());
  for (const ListedCommand& command : listed_commands(program)) print_command(command);
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
