#include "core/kvpr/layer_rows.h"

#include <cstring>
#include <numeric>
#include <vector>

namespace kvantage::inline kvpr {

Status append_rows(KvCache& cache, int layer, std::span<const std::byte> keys, std::span<const std::byte> values,
                   std::int32_t first, int tokens) {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
  std::iota(positions.begin(), positions.end(), first);
  return cache.append(layer, keys, values, positions);
}

void copy_rows(const KvCache& cache, int layer, int first, int tokens, std::byte* keys, std::byte* values) {
  const std::size_t row = static_cast<std::size_t>(cache.shape().head_dim) * bytes_of(cache.shape().type);
  const auto heads = static_cast<std::size_t>(cache.shape().kv_heads);
  for (std::size_t h = 0; h < heads; ++h) {
    const HeadView head = cache.head(layer, static_cast<int>(h));
    const auto block = static_cast<std::size_t>(head.pool->block_tokens());
    for (std::size_t t = 0; t < static_cast<std::size_t>(tokens); ++t) {
      const auto slot = static_cast<std::size_t>(head.slot(static_cast<std::size_t>(first) + t));
      const std::size_t offset = slot % block * row, target = (t * heads + h) * row;
      std::memcpy(keys + target, head.pool->keys(head.blocks[slot / block]) + offset, row);
      std::memcpy(values + target, head.pool->values(head.blocks[slot / block]) + offset, row);
    }
  }
}

void clear_layer(KvCache& cache, int layer) {
  for (int h = 0; h < cache.shape().kv_heads; ++h) cache.truncate_head(layer, h, 0);
}

std::size_t layer_row_bytes(const KvShape& shape) {
  return shape.bytes_per_head_token() * static_cast<std::size_t>(shape.kv_heads);
}

}  // namespace kvantage::inline kvpr
