// Rows of layers with a sliding window that no later token sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// Evicts from one layer the rows that no query at position `next` or later sees, in whole tiles of attention: the
/// others stay at the same places of their tiles, so every later result has the same bits. Needs no memory. Returns how
/// many rows, over all heads; 0 without a window. The cache must not be truncated below `next` afterwards. Errors as
/// KvCache::evict().
Expected<std::size_t> evict_unseen_rows(const Transformer& model, KvCache& cache, int layer, std::int32_t next);

}  // namespace kvantage::inline model
