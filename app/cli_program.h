// kvantage-cli as a function: of main(), and of tests, which call it in a copy of their own process.
#pragma once

namespace kvantage::cli {

/// Runs the command that `argv` names and prints what it says to the standard streams. The exit code to end with.
int run_command_line(int argc, char** argv);

}  // namespace kvantage::cli
