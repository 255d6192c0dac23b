// The device's memory for KV caches: one byte tensor in blocks, shared by all sequences. Blocks as in
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
#include "core/ports/device_residency.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

class CacheArena {
 public:
  /// As many blocks as fit in `bytes`. usage: block tokens not a multiple of 4; no_space: the device lacks memory, or
  /// not even one block fits.
  static Expected<std::shared_ptr<CacheArena>> make(const ModelConfig& config, int block_tokens, std::uint64_t bytes,
                                                    at::Device device);

  int layers() const { return layers_; }
  int kv_heads() const { return kv_heads_; }
  int block_tokens() const { return planes_.block_tokens; }
  int head_dim() const { return planes_.head_dim; }
  std::size_t block_bytes() const { return planes_.block_bytes; }
  std::size_t free_blocks() const { return free_.size(); }
  /// From any thread: bytes of allocated blocks, and of all.
  std::uint64_t held_bytes() const { return held_blocks_.load(std::memory_order_relaxed) * planes_.block_bytes; }
  std::uint64_t total_bytes() const { return holders_.size() * planes_.block_bytes; }
  at::Device device() const { return bytes_.device(); }

  /// no_space, without changes, if fewer are free.
  Expected<std::vector<std::int32_t>> take(std::size_t blocks);
  /// Adds a holder to each block; give() frees a block with its last holder.
  void share(std::span<const std::int32_t> blocks);
  void give(std::span<const std::int32_t> blocks);
  bool is_shared(std::int32_t block) const { return holders_[static_cast<std::size_t>(block)] > 1; }

  /// [blocks, block_bytes] uint8.
  const at::Tensor& bytes() const { return bytes_; }
  /// [blocks, block_tokens, head_dim] bf16, views of the bytes.
  at::Tensor keys() const { return rows(0); }
  at::Tensor values() const { return rows(planes_.values_at); }
  /// Arena and block dimensions, without tables and heads.
  const PagedHeads& planes() const { return planes_; }
  /// The same, with the memory that they are in.
  const DeviceBlocks& blocks() const { return blocks_; }

 private:
  at::Tensor rows(std::size_t at) const;

  int layers_ = 0, kv_heads_ = 0;
  PagedHeads planes_;
  DeviceBlocks blocks_;
  at::Tensor bytes_;
  std::vector<std::int32_t> free_;     // used from the back
  std::vector<std::int32_t> holders_;  // by block
  std::atomic<std::size_t> held_blocks_{0};
};

}  // namespace kvantage::gpu
