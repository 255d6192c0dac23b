// What makes two runs decide alike: costs that stay what they were.
#pragma once

#include <optional>

#include "core/cost/cost_model.h"
#include "core/ports/stores.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

/// Freezes the costs of a session: at those given (of a run that is repeated), else at those of the first frozen
/// session with this model, workload (by its digest) and this scope, which `profiles` keeps; null: at those timed
/// now. usage: costs given are of another number of tiers.
Status freeze_costs(const EngineServices& services, CostModel& costs, const CostScope& scope, const Digest128& workload,
                    ProfileStore* profiles, std::optional<events::SnapshotTaken> given);

}  // namespace kvantage::inline cost
