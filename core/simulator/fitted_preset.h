// Our own measurements in the form of a published preset: fits of tiers, prefill and question, and the means of its
// contexts' quality curves.
#pragma once

#include "core/policy/types.h"
#include "core/simulator/presets.h"

namespace kvantage::inline simulator {

/// Candidates are those that every profiled context has. rejected_input without contexts.
Expected<SimulatorPreset> preset_of(const Snapshot& snapshot, const std::string& name);

}  // namespace kvantage::inline simulator
