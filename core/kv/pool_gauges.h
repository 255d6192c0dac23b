// Actual pool usage: once tokens are evicted, blocks in use are not fully used.
#pragma once

#include <cstddef>
#include <span>

#include "core/kv/kv_cache.h"

namespace kvantage::inline kv {

struct PoolGauges {
  std::size_t capacity = 0;    // blocks
  std::size_t live = 0;        // blocks held by at least one table
  std::size_t free = 0;        // blocks, including those that the pool may still allocate
  std::size_t shared = 0;      // blocks held by more than one table
  std::size_t live_slots = 0;  // rows held by at least one cache; a shared row counts once
  std::size_t dead_slots = 0;  // written slots that hold no cache's row; unwritten slots after the last row excluded
  double fragmentation = 0;    // 1 - live_slots / (live * block_tokens): the share of held memory without a row
};

/// Gauges of a pool and all caches in it; time grows with their slots.
PoolGauges pool_gauges(const BlockPool& pool, std::span<const KvCache* const> caches);

}  // namespace kvantage::inline kv
