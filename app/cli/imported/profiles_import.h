// kvantage-cli profiles import, also written `profile import`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace kvantage::cli {

void add_profiles_import(CLI::App& profiles, CommandResult& result);

}  // namespace kvantage::cli
