// A cache's rows in blocks that nobody else holds.
#pragma once

#include <QtTest>
#include <vector>

#include "core/kv/kv_cache.h"

namespace kvantage::test {

inline KvCache copy_of(const KvCache& cache, BlockPool& pool) {
  KvCache copy(pool);
  const KvShape& shape = cache.shape();
  for (int l = 0; l < shape.layers; ++l)
    for (int h = 0; h < shape.kv_heads; ++h) {
      const auto kept = static_cast<std::size_t>(cache.kept(l, h));
      std::vector<std::byte> keys(kept * shape.bytes_per_head_token() / 2), values(keys.size());
      std::vector<std::int32_t> positions(kept);
      cache.gather_head(l, h, keys.data(), values.data(), positions.data());
      if (!copy.append_head(l, h, keys, values, positions)) qFatal("append");
    }
  copy.set_sequence_length(cache.sequence_length());
  return copy;
}

}  // namespace kvantage::test
