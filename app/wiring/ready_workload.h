// Workloads that are too large to ship, such as the papers' regimes: made on the machine when they are first asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline wiring {

/// Names of presets that are no samples.
std::vector<std::string> made_workloads();

/// named_workload(); one of made_workloads() is made in the cache folder first, unless it is there as this program
/// makes it. Errors: of writing there.
Expected<std::filesystem::path> ready_workload(const std::filesystem::path& given);

}  // namespace kvantage::inline wiring
