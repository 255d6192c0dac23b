// Blocks of a device's caches as gpu/model/cache_arena.cpp lays them out.
#pragma once

#include "core/ports/device_residency.h"

namespace kvantage::test {

inline CacheBlockForm block_form(int head_dim, int block_tokens) {
  const auto aligned = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  CacheBlockForm form{block_tokens, head_dim, 0, 0, 0};
  const auto tokens = static_cast<std::uint64_t>(block_tokens);
  form.values_at = aligned(tokens * static_cast<std::uint64_t>(head_dim) * 2);
  form.positions_at = 2 * form.values_at;
  form.block_bytes = form.positions_at + aligned(tokens * sizeof(std::int32_t));
  return form;
}

}  // namespace kvantage::test
