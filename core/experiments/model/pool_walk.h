// Walks of core/ports/pool_walk.h: a pool of its own, rows from a fixed seed, the evictors and compaction passes that
// decoding uses.
#pragma once

#include "core/ports/pool_walk.h"

namespace kvantage {

/// Takes milliseconds; touches nothing but its own pool.
Expected<std::vector<PoolFrame>> walk_pool(const PoolWalkSetting& setting);

}  // namespace kvantage
