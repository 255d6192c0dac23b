// What a command line lacks or has too much, in place of the library's own message.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kvantage::cli {

/// "RUN", "RUN FILE"; empty where the command takes options only.
std::string arguments_of(const CLI::App& command);

/// What is wrong, why and what to write, without a full stop. `path`: the command with its parents' names. A message of
/// ours, and one of the library that is not known here, stays as it is.
std::string parse_error_text(const CLI::App& command, const std::string& path, const CLI::Error& error);

}  // namespace kvantage::cli
