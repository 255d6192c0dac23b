#include "gpu/model/cache_arena.h"

#include <algorithm>
#include <limits>

#include "core/base/units.h"
#include "gpu/kernels/device.h"

namespace kvantage::gpu {
namespace {

/// Alignment of a block's planes, as in core/kv/block_pool.h.
constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Expected<std::shared_ptr<CacheArena>> CacheArena::make(const ModelConfig& config, int block_tokens, std::uint64_t bytes,
                                                       at::Device device) {
  if (block_tokens < 4 || block_tokens % 4 != 0)
    return fail(ErrorCode::usage,
                "KV cache on a device: blocks of " + std::to_string(block_tokens) + " tokens; use a multiple of 4");
  auto arena = std::make_shared<CacheArena>();
  arena->layers_ = config.layers;
  arena->kv_heads_ = config.kv_heads;
  PagedHeads& planes = arena->planes_;
  planes.block_tokens = block_tokens;
  planes.head_dim = config.head_dim;
  planes.values_at = aligned(static_cast<std::size_t>(block_tokens) * static_cast<std::size_t>(config.head_dim) *
                             sizeof(std::uint16_t));
  planes.positions_at = 2 * planes.values_at;
  planes.block_bytes = planes.positions_at + aligned(static_cast<std::size_t>(block_tokens) * sizeof(std::int32_t));
  arena->blocks_ = {device_memory_id(std::max<int>(0, device.index())),
                    {block_tokens, config.head_dim, planes.block_bytes, planes.values_at, planes.positions_at}};
  const std::uint64_t blocks =
      std::min<std::uint64_t>(bytes / planes.block_bytes, std::numeric_limits<std::int32_t>::max());
  if (blocks < static_cast<std::uint64_t>(config.layers) * static_cast<std::uint64_t>(config.kv_heads))
    return fail(ErrorCode::no_space,
                "KV cache on a device: " + format_bytes(bytes) + " do not hold one block per head; give it more");
  arena->bytes_ = at::empty({static_cast<std::int64_t>(blocks), static_cast<std::int64_t>(planes.block_bytes)},
                            at::TensorOptions(at::kByte).device(device));
  planes.arena = arena->bytes_.mutable_data_ptr<std::uint8_t>();
  arena->holders_.assign(blocks, 0);
  arena->free_.resize(blocks);
  for (std::size_t i = 0; i < blocks; ++i) arena->free_[i] = static_cast<std::int32_t>(blocks - 1 - i);
  return arena;
}

Expected<std::vector<std::int32_t>> CacheArena::take(std::size_t blocks) {
  if (blocks > free_.size())
    return fail(ErrorCode::no_space, "KV cache on the device is full: " + std::to_string(blocks) +
                                         " blocks are needed and " + std::to_string(free_.size()) +
                                         " are free; close sequences or give it more memory");
  std::vector<std::int32_t> taken(free_.rbegin(), free_.rbegin() + static_cast<std::ptrdiff_t>(blocks));
  free_.resize(free_.size() - blocks);
  share(taken);
  held_blocks_.store(holders_.size() - free_.size(), std::memory_order_relaxed);
  return taken;
}

void CacheArena::share(std::span<const std::int32_t> blocks) {
  for (const std::int32_t block : blocks) ++holders_[static_cast<std::size_t>(block)];
}

void CacheArena::give(std::span<const std::int32_t> blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
    if (--holders_[static_cast<std::size_t>(*block)] == 0) free_.push_back(*block);
  held_blocks_.store(holders_.size() - free_.size(), std::memory_order_relaxed);
}

at::Tensor CacheArena::rows(std::size_t at) const {
  const auto signed_of = [](auto number) { return static_cast<std::int64_t>(number); };
  const at::Tensor numbers = bytes_.view(at::kBFloat16);
  const std::int64_t width = signed_of(sizeof(std::uint16_t));
  return numbers.as_strided({numbers.size(0), planes_.block_tokens, planes_.head_dim},
                            {signed_of(planes_.block_bytes) / width, planes_.head_dim, 1}, signed_of(at) / width);
}

}  // namespace kvantage::gpu
