// Workloads that are too large to ship, such as the papers' regimes: made on the machine when they are first asked for.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace kvantage::inline wiring {

/// named_workload(); a workload that does not ship is made in the cache folder first, unless it is there as this
/// program makes it. rejected_input without a cache folder; errors of writing there.
Expected<std::filesystem::path> ready_workload(const std::filesystem::path& given);

}  // namespace kvantage::inline wiring
