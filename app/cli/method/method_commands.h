// Subcommands of `kvantage-cli method`, one file each.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace kvantage::cli {

void add_method_new(CLI::App& method, CommandResult& result);
void add_method_check(CLI::App& method, CommandResult& result);
void add_method_bench(CLI::App& method, CommandResult& result);

}  // namespace kvantage::cli
