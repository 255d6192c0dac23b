// Budgets of tiers as sweeps and plans name them: factors of the session's, or shares of the uncompressed bytes.
#pragma once

#include <vector>

#include "core/engine/engine.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage::cli {

/// `tiers` of the engine's session with this budget. usage for a tier that is not among them, or a share of an
/// unlimited one.
Expected<std::vector<TierConfig>> scaled_budgets(const Engine& engine, std::vector<TierConfig> tiers,
                                                 const BudgetScale& budget);

}  // namespace kvantage::cli
