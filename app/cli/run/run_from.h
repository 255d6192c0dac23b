// `run --from RUN` and `run --from-serving FILE`: fill options of a new run from a recorded one, or from the settings
// file of a serving system, where the command line sets nothing else.
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

/// --from-serving FILE.
void add_from_serving_option(CLI::App& command, std::string& file);

/// Tiers, policy and concurrency of LMCache's or vLLM's file; what it sets and what has no equivalent goes to stderr,
/// unless quiet. Returns its policy; empty: it names none. rejected_input as read_serving_config().
Expected<std::string> start_from_serving(const std::filesystem::path& file, SessionArguments& arguments);

}  // namespace kvantage::cli
