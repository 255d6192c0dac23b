// Copies rows of one layer to and from a cache that holds one layer at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kv/kv_cache.h"

namespace kvantage::inline kvpr {

/// Appends keys and values [tokens, kv_heads, head_dim] at positions first, first + 1, ...
Status append_rows(KvCache& cache, int layer, std::span<const std::byte> keys, std::span<const std::byte> values,
                   std::int32_t first, int tokens);
/// Rows first, first + 1, ... of every head: [tokens, kv_heads, head_dim] each.
void copy_rows(const KvCache& cache, int layer, int first, int tokens, std::byte* keys, std::byte* values);
/// Returns its blocks to the pool.
void clear_layer(KvCache& cache, int layer);
/// Keys and values of one token in one layer.
std::size_t layer_row_bytes(const KvShape& shape);

}  // namespace kvantage::inline kvpr
