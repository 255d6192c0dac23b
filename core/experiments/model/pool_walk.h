// Walks of core/ports/pool_walk.h: a private pool, rows from a fixed seed, and the eviction methods and compaction
// passes of decoding.
#pragma once

#include "core/ports/pool_walk.h"

namespace kvantage::inline model_experiments {

/// Takes milliseconds; uses only its own pool.
Expected<std::vector<PoolFrame>> walk_pool(const PoolWalkSetting& setting);

}  // namespace kvantage::inline model_experiments
