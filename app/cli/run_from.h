// `run --from RUN`: options of a new run filled in from a recorded one, where the command line gives nothing else.
#pragma once

#include <string>
#include <vector>

#include "app/cli/session_options.h"

namespace kvantage::cli {

/// What the recorded run was made with, as far as the command line does not say it.
struct RepeatedChoices {
  std::vector<std::string> policies;
  bool warm_every_context = true;
  bool cold_start = true;
};

/// `command`: which options were given. Frozen costs are those of the recorded run. rejected_input when there is no
/// such run, or it does not say what it was made with and the command line does not either.
Expected<RepeatedChoices> repeat_run(const std::string& word, const CLI::App& command, SessionArguments& arguments);

}  // namespace kvantage::cli
