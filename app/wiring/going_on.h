// With which model and workload a window begins that goes on from the last session.
#pragma once

#include <filesystem>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage {

/// Takes into `options` what was used last, where it can still be opened; empty: nothing, the options stay. What is
/// said of those that cannot, and what is used in their place; empty: nothing to say.
std::string go_on(SessionOptions& options, const std::filesystem::path& last_model,
                  const std::filesystem::path& last_workload);

}  // namespace kvantage
