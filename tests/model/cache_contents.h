// What a cache holds, to compare it bit for bit.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kv/kv_cache.h"

namespace kvantage::test {

/// Every byte of the keys and values, head by head.
inline std::vector<std::byte> contents(const KvCache& cache) {
  std::vector<std::byte> all;
  const std::size_t row = static_cast<std::size_t>(cache.shape().head_dim) * bytes_of(cache.shape().type);
  for (int layer = 0; layer < cache.shape().layers; ++layer)
    for (int head = 0; head < cache.shape().kv_heads; ++head) {
      std::vector<std::byte> rows(2 * static_cast<std::size_t>(cache.kept(layer, head)) * row);
      cache.gather_head(layer, head, rows.data(), rows.data() + rows.size() / 2, nullptr);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  return all;
}

}  // namespace kvantage::test
