// How a long command shows its progress.
#pragma once

#include <CLI/CLI.hpp>

namespace kvantage::cli {

/// Declares --quiet and --progress, of which one may be given. --progress acts on stderr_progress() when it is parsed.
void add_progress_options(CLI::App& command, bool& quiet);

}  // namespace kvantage::cli
