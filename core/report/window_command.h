// The line that repeats a run. A command line records its own; a run that a window served has none, as opening a window
// serves something else each time.
#pragma once

#include <string>

#include "core/ports/stores.h"

namespace kvantage {

/// `run --from` with this id and database, its words quoted for a POSIX shell.
std::string command_from_record(const std::string& run_id, const std::string& database);

/// Puts that line in the place of a window's command, so that reports say what repeats the run; other runs keep theirs.
void name_repeating_command(RunSummary& summary, const std::string& database);

}  // namespace kvantage
