#include "core/kv/pool_gauges.h"

#include <algorithm>
#include <vector>

namespace kvantage::inline kv {

PoolGauges pool_gauges(const BlockPool& pool, std::span<const KvCache* const> caches) {
  PoolGauges gauges;
  gauges.capacity = pool.capacity_blocks();
  gauges.live = pool.live_blocks();
  gauges.free = pool.free_blocks();
  gauges.shared = pool.shared_blocks();

  enum : char { unwritten = 0, dead = 1, live = 2 };  // for a slot shared by two caches the maximum counts
  const auto block_tokens = static_cast<std::size_t>(pool.block_tokens());
  std::vector<char> state;
  const auto mark = [&](const HeadView& head, std::int32_t slot, char mark_as) {
    const auto index = static_cast<std::size_t>(slot);
    const auto at = static_cast<std::size_t>(head.blocks[index / block_tokens]) * block_tokens + index % block_tokens;
    if (at >= state.size()) state.resize(at + block_tokens, unwritten);
    state[at] = std::max(state[at], mark_as);
  };
  for (const KvCache* cache : caches)
    for (int l = 0; l < cache->shape().layers; ++l)
      for (int h = 0; h < cache->shape().kv_heads; ++h) {
        const HeadView head = cache->head(l, h);
        for (std::int32_t slot = 0; slot < head.used; ++slot) mark(head, slot, dead);
        for (std::size_t i = 0; i < static_cast<std::size_t>(head.kept); ++i) mark(head, head.slot(i), live);
      }
  gauges.live_slots = static_cast<std::size_t>(std::ranges::count(state, live));
  gauges.dead_slots = static_cast<std::size_t>(std::ranges::count(state, dead));
  if (gauges.live > 0)
    gauges.fragmentation = 1 - static_cast<double>(gauges.live_slots) / static_cast<double>(gauges.live * block_tokens);
  return gauges;
}

}  // namespace kvantage::inline kv
