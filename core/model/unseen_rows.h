// Rows of layers with a sliding window that no later token sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// How many of the first rows of a whole head no query at position `next` or later sees, in whole tiles of attention.
/// window: ModelConfig::window(); without one: 0.
std::int32_t unseen_rows(int window, std::int32_t next);
/// How many of the rows before `next` are left then, at most, wherever that is. window: as above, not 0.
std::int32_t max_seen_rows(int window);

/// Evicts from one layer the rows that no query at position `next` or later sees, in whole tiles of attention: the
/// others stay at the same places of their tiles, so every later result has the same bits. Needs no memory. Returns how
/// many rows, over all heads; 0 without a window. The cache must not be truncated below `next` afterwards. Errors as
/// KvCache::evict().
Expected<std::size_t> evict_unseen_rows(const Transformer& model, KvCache& cache, int layer, std::int32_t next);

/// Whether each layer with a window has all rows that a query at position `next` sees. Positions below `next` are
/// there, but for the first ones of each head.
bool has_seen_rows(const Transformer& model, const KvCache& cache, std::int32_t next);

}  // namespace kvantage::inline model
