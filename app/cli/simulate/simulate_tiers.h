// Tier texts of `simulate`: NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME][,NAME=BUDGET..].
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/simulator/planned_simulation.h"
#include "core/simulator/presets.h"

namespace kvantage::cli {

/// Tiers with names, budgets in bytes and linear load times, by default the preset's. Percentages are of `full_bytes`,
/// all contexts of the trace uncompressed, computed once and only if needed. usage errors quote the text.
Expected<std::vector<PlannedTier>> simulated_tiers(const std::vector<std::string>& texts, const SimulatorPreset& preset,
                                                   const std::function<Expected<std::uint64_t>()>& full_bytes);

}  // namespace kvantage::cli
