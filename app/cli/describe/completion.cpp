// kvantage-cli completion: scripts that complete its commands, options and their values in bash, zsh and fish.
#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/describe/completion_scripts.h"
#include "app/cli/session_options.h"

namespace kvantage::cli {

void add_completion(CLI::App& program, CommandResult& result) {
  struct Arguments {
    std::string shell;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *program.add_subcommand("completion", "Print a script that completes commands, options and values in a shell");
  command.add_option("SHELL", arguments->shell, "Shell that reads the script")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command.footer(
      "bash: kvantage-cli completion bash > ~/.local/share/bash-completion/completions/kvantage-cli\n"
      "zsh: kvantage-cli completion zsh > _kvantage-cli in a folder of $fpath\n"
      "fish: kvantage-cli completion fish > ~/.config/fish/completions/kvantage-cli.fish");
  add_json_option(command, arguments->json);
  command.callback([&program, arguments, &result] {
    const std::string& shell = arguments->shell;
    const std::string text = shell == "bash"  ? bash_completion(program)
                             : shell == "zsh" ? zsh_completion(program)
                                              : fish_completion(program);
    if (arguments->json)
      print_json(OrderedJson{{"shell", shell}, {"script", text}});
    else
      std::fputs(text.c_str(), stdout);
    result.exit_code = 0;
  });
}

}  // namespace kvantage::cli
