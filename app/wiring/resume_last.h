// Model and workload of a window that resumes the last session.
#pragma once

#include <filesystem>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage::inline wiring {

/// Sets `options` to the last model and workload, where they can still be opened. Empty `last`: options stay unchanged.
/// Returns a message about those that cannot be opened and their replacement; empty: none.
std::string resume_last(SessionOptions& options, const std::filesystem::path& last_model,
                        const std::filesystem::path& last_workload);

}  // namespace kvantage::inline wiring
