// Subcommands about serving systems, one file each: settings for them, and sessions of theirs.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace kvantage::cli {

void add_export(CLI::App& parent, CommandResult& result);
void add_session_import(CLI::App& session, CommandResult& result);

}  // namespace kvantage::cli
