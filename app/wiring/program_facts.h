// What program this is and what it runs on, as runs and reports record it.
#pragma once

#include <string>

#include "core/base/json.h"

namespace kvantage::inline wiring {

/// As printed by `--version`: version and commit, and whether the tree was dirty.
std::string program_version();

/// Commit, hardware, threads: the environment section of a report.
Json environment_of_this_machine();

}  // namespace kvantage::inline wiring
