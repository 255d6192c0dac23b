// Browses the runs of a database. Uses its own connections, so that it can be open next to a session that records into
// the same file, and on any other file.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/clock.h"
#include "core/ports/run_library.h"

namespace kvantage::inline profiles {

/// Outcome of an unfinished run that a process still records; empty: it was aborted.
inline constexpr const char* recording_outcome = "recording";

/// Errors as in open_stores(); an absent file is created. `clock` dates what is written. A run that is being recorded
/// cannot be removed: busy.
Expected<std::unique_ptr<RunLibrary>> open_run_library(const std::filesystem::path& database,
                                                       std::shared_ptr<const Clock> clock);

}  // namespace kvantage::inline profiles
