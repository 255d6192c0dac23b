// The command line that reproduces a run. The command line records its own. A run served by the window has none, as
// opening a window serves something else each time.
#pragma once

#include <string>

#include "core/ports/stores.h"

namespace kvantage::inline report {

/// `run --from` with this id and database, quoted for a POSIX shell.
std::string command_from_record(const std::string& run_id, const std::string& database);

/// Replaces a window's command with that line, so that reports show how to reproduce the run; other runs keep theirs.
void name_repeating_command(RunSummary& summary, const std::string& database);

}  // namespace kvantage::inline report
