#include "gpu/model/cache_tables.h"

#include <algorithm>

namespace kvantage::gpu {

CacheTables::CacheTables(const CacheArena& arena, int sequences, int longest)
    : layers_(arena.layers()),
      heads_(sequences * arena.kv_heads()),
      longest_(longest),
      blocks_per_head_((longest + arena.block_tokens() - 1) / arena.block_tokens()),
      planes_(arena.planes()) {
  const auto numbers = at::TensorOptions(at::kInt).device(arena.device());
  blocks_ = at::zeros({layers_, heads_, blocks_per_head_}, numbers);
  first_block_ = at::arange(heads_, numbers).mul_(blocks_per_head_);
  first_slot_ = at::arange(heads_, numbers).mul_(blocks_per_head_ * arena.block_tokens());
  kept_ = at::zeros({layers_, heads_}, numbers);
  planes_.heads = heads_;
  planes_.first_block = first_block_.const_data_ptr<std::int32_t>();
  planes_.first_slot = first_slot_.const_data_ptr<std::int32_t>();
}

void CacheTables::fill(std::span<const DeviceCache* const> caches, int more) {
  at::Tensor blocks = at::zeros(blocks_.sizes(), at::TensorOptions(at::kInt)),
             kept = at::zeros(kept_.sizes(), at::TensorOptions(at::kInt));
  auto* block = blocks.mutable_data_ptr<std::int32_t>();
  auto* count = kept.mutable_data_ptr<std::int32_t>();
  const int kv_heads = heads_ / static_cast<int>(caches.size());
  for (int layer = 0; layer < layers_; ++layer)
    for (const DeviceCache* cache : caches)
      for (int h = 0; h < kv_heads; ++h, block += blocks_per_head_, ++count) {
        const DeviceCache::Head& head = cache->head(layer, h);
        std::copy_n(head.blocks.begin(), std::min(head.blocks.size(), static_cast<std::size_t>(blocks_per_head_)),
                    block);
        *count = head.kept + more;
      }
  blocks_.copy_(blocks);
  kept_.copy_(kept);
}

PagedHeads CacheTables::layer(int layer) const {
  PagedHeads heads = planes_;
  heads.blocks =
      blocks_.const_data_ptr<std::int32_t>() + static_cast<std::ptrdiff_t>(layer) * heads_ * blocks_per_head_;
  heads.kept = kept_.const_data_ptr<std::int32_t>() + static_cast<std::ptrdiff_t>(layer) * heads_;
  return heads;
}

}  // namespace kvantage::gpu
