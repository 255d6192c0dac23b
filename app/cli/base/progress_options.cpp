#include "app/cli/base/progress_options.h"

#include <string>

#include "app/cli/base/progress_line.h"
#include "app/cli/base/value_checks.h"

namespace kvantage::cli {

void add_progress_options(CLI::App& command, bool& quiet) {
  CLI::Option* none = command.add_flag("--quiet", quiet, "No progress");
  command
      .add_option_function<std::string>(
          "--progress", [](const std::string&) { stderr_progress().use_json(); },
          "json: progress as JSON lines on stderr")
      ->check(one_of({"json"}))
      ->excludes(none);
}

}  // namespace kvantage::cli
