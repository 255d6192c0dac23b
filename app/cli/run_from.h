// `run --from RUN`: fills options of a new run from a recorded one, where the command line sets nothing else.
#pragma once

#include <string>
#include <vector>

#include "app/cli/session_options.h"

namespace kvantage::cli {

/// Settings of the recorded run, where the command line does not override them.
struct RepeatedChoices {
  std::vector<std::string> policies;
  bool warm_every_context = true;
  bool cold_start = true;
};

/// `command`: which options were given. Frozen costs are those of the recorded run. rejected_input for an unknown run,
/// or when settings are neither recorded nor on the command line.
Expected<RepeatedChoices> repeat_run(const std::string& word, const CLI::App& command, SessionArguments& arguments);

}  // namespace kvantage::cli
