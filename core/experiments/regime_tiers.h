// The tiers of a running session in a regime: budgets and bandwidths by what the session measured so far.
#pragma once

#include <vector>

#include "core/policy/types.h"
#include "core/ports/tier_config.h"
#include "core/workload/regimes/regimes.h"

namespace kvantage::inline experiments {

/// `tiers` with the regime's budgets, the fastest one's in % of all contexts' uncompressed KV, and its bandwidths, by
/// the fits of `snapshot`. They, those of the snapshot and those of the regime must be as many. A tier that is slower
/// than the regime's by itself gets full speed, unless it is throttled now: its own speed is not known then.
std::vector<TierConfig> tiers_in(const Regime& regime, double first_percent, const Snapshot& snapshot,
                                 std::vector<TierConfig> tiers);

}  // namespace kvantage::inline experiments
