// The costs and qualities that `simulate` takes: those of a preset, of a recorded run, or of others.
#pragma once

#include <optional>
#include <vector>

#include "app/cli/simulate/simulate_options.h"
#include "core/imported/imported_profile.h"
#include "core/simulator/presets.h"

namespace kvantage::cli {

Expected<std::vector<SimulatorPreset>> all_presets();

/// Of --preset, or of --db and --run: the final fits and quality curves of a recorded run. Nothing without both.
Expected<std::optional<SimulatorPreset>> chosen_preset(const SimulateArguments& arguments);

/// Curves and times of others in place of the preset's, and where they come from. usage error without a preset.
Expected<std::vector<ImportedSource>> use_imports(const SimulateArguments& arguments,
                                                  std::optional<SimulatorPreset>& preset);

}  // namespace kvantage::cli
