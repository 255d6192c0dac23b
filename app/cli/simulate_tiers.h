// Tiers of `simulate` as they are written: NAME=BYTES[,bandwidth=BYTES/s][,latency=TIME][,NAME=BYTES...].
#pragma once

#include <string>
#include <vector>

#include "core/simulator/planned_simulation.h"
#include "core/simulator/presets.h"

namespace kvantage::cli {

/// Tiers with names, budgets in bytes and lines of time, the preset's where nothing else is written. usage errors name
/// what was written.
Expected<std::vector<PlannedTier>> simulated_tiers(const std::vector<std::string>& texts,
                                                   const SimulatorPreset& preset);

}  // namespace kvantage::cli
