// The command line that reproduces a run. The command line records its own. A run served by the window has none, as
// opening a window serves something else each time.
#pragma once

#include <string>

#include "core/ports/stores.h"

namespace kvantage::inline report {

/// The word as it must be written for a POSIX shell: as it is where it is plain, else in single quotes.
std::string shell_word(const std::string& text);

/// `run --from` with this id and database, quoted for a POSIX shell.
std::string command_from_record(const std::string& run_id, const std::string& database);

/// Replaces a window's command with that line, so that reports show how to reproduce the run; other runs keep theirs.
void name_repeating_command(RunSummary& summary, const std::string& database);

}  // namespace kvantage::inline report
