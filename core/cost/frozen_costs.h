// Fixed costs, so that two runs make the same decisions.
#pragma once

#include <optional>

#include "core/cost/cost_model.h"
#include "core/ports/stores.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

/// Freezes the costs of a session: at `given` (of a re-executed run); else at those that `profiles` has from the first
/// frozen session with this model, workload (by digest) and scope. Null `profiles`: at the current timings. usage:
/// `given` has another number of tiers.
Status freeze_costs(const EngineServices& services, CostModel& costs, const CostScope& scope, const Digest128& workload,
                    ProfileStore* profiles, std::optional<events::SnapshotTaken> given);

}  // namespace kvantage::inline cost
