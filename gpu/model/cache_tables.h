// Block tables and kept counts of several sequences in device memory, at stable addresses: read by kernels and by
// decode steps captured in a graph.
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "gpu/model/device_cache.h"

namespace kvantage::gpu {

class CacheTables {
 public:
  /// For `sequences` sequences with at most `longest` rows per head.
  CacheTables(const CacheArena& arena, int sequences, int longest);

  /// Copies the current state of the caches, with space for `more` rows per head; the blocks for them must be
  /// allocated.
  void fill(std::span<const DeviceCache* const> caches, int more);
  /// Increments the kept count of every head; runs in the stream, and can be part of a graph.
  void advance(int tokens) { kept_.add_(tokens); }

  /// Heads of all sequences in one layer: sequence s has [s * kv_heads, (s + 1) * kv_heads).
  PagedHeads layer(int layer) const;
  /// Blocks of all heads in one layer: int32 [heads, blocks per head].
  at::Tensor blocks(int layer) const { return blocks_.select(0, layer); }
  int longest() const { return longest_; }

 private:
  int layers_, heads_, longest_, blocks_per_head_;
  PagedHeads planes_;
  at::Tensor blocks_;       // int32 [layers, heads, blocks_per_head]
  at::Tensor first_block_;  // int32 [heads]
  at::Tensor first_slot_;   // int32 [heads]
  at::Tensor kept_;         // int32 [layers, heads]
};

}  // namespace kvantage::gpu
