// What of a pool is really used: blocks in use are not rows in use once tokens are evicted.
#pragma once

#include <cstddef>
#include <span>

#include "core/kv/kv_cache.h"

namespace kvantage {

struct PoolGauges {
  std::size_t capacity = 0;    // blocks
  std::size_t live = 0;        // blocks held by at least one table
  std::size_t free = 0;        // blocks, those that the pool may still take from the system included
  std::size_t shared = 0;      // blocks held by more than one table
  std::size_t live_slots = 0;  // rows held by at least one cache; a row that two share counts once
  std::size_t dead_slots = 0;  // slots written that hold a row of no cache; free slots behind the last row not counted
  double fragmentation = 0;    // 1 - live_slots / (live * block_tokens): the share of memory held that holds no row
};

/// Of a pool and all caches that lie in it; time grows with the slots they hold.
PoolGauges pool_gauges(const BlockPool& pool, std::span<const KvCache* const> caches);

}  // namespace kvantage
