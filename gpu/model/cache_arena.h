// The device's memory for KV caches: one tensor of bytes in blocks, shared out to sequences. A block is that of
// gpu/kernels/paged_heads.h.
#pragma once

#include <ATen/ATen.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/model/config.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

class CacheArena {
 public:
  /// As many blocks as `bytes` hold. usage: blocks of no multiple of 4 tokens; no_space: the device has not as much
  /// memory, or no block fits.
  static Expected<std::shared_ptr<CacheArena>> make(const ModelConfig& config, int block_tokens, std::uint64_t bytes,
                                                    at::Device device);

  int layers() const { return layers_; }
  int kv_heads() const { return kv_heads_; }
  int block_tokens() const { return planes_.block_tokens; }
  int head_dim() const { return planes_.head_dim; }
  std::size_t block_bytes() const { return planes_.block_bytes; }
  std::size_t free_blocks() const { return free_.size(); }
  /// From any thread: bytes of blocks that anybody holds, and of all.
  std::uint64_t held_bytes() const { return held_blocks_.load(std::memory_order_relaxed) * planes_.block_bytes; }
  std::uint64_t total_bytes() const { return holders_.size() * planes_.block_bytes; }
  at::Device device() const { return bytes_.device(); }

  /// no_space: fewer are free; nothing is taken then.
  Expected<std::vector<std::int32_t>> take(std::size_t blocks);
  /// One more sequence holds them; give() frees a block when the last has given it.
  void share(std::span<const std::int32_t> blocks);
  void give(std::span<const std::int32_t> blocks);
  bool is_shared(std::int32_t block) const { return holders_[static_cast<std::size_t>(block)] > 1; }

  /// [blocks, block_bytes] uint8.
  const at::Tensor& bytes() const { return bytes_; }
  /// [blocks, block_tokens, head_dim] bf16, views of the bytes.
  at::Tensor keys() const { return rows(0); }
  at::Tensor values() const { return rows(planes_.values_at); }
  /// Arena and measures of a block, without tables and heads.
  const PagedHeads& planes() const { return planes_; }

 private:
  at::Tensor rows(std::size_t at) const;

  int layers_ = 0, kv_heads_ = 0;
  PagedHeads planes_;
  at::Tensor bytes_;
  std::vector<std::int32_t> free_;     // the next one last
  std::vector<std::int32_t> holders_;  // by block
  std::atomic<std::size_t> held_blocks_{0};
};

}  // namespace kvantage::gpu
