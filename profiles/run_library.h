// The runs of a database as a library to look through. It has connections of its own, so that it can be open beside the
// session that records into the same file, and on any other file.
#pragma once

#include <filesystem>
#include <memory>

#include "core/ports/run_library.h"

namespace kvantage {

/// Outcome, in lists, of a run without an end that some process still records; empty: it was broken off.
inline constexpr const char* recording_outcome = "recording";

/// Errors as in open_stores(); a file that is absent is made. A run that is being recorded is not removed: busy.
Expected<std::unique_ptr<RunLibrary>> open_run_library(const std::filesystem::path& database);

}  // namespace kvantage
