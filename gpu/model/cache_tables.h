// Block tables and kept rows of some sequences in device memory, at addresses that stay: what kernels, and decode steps
// captured in a graph, read.
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "gpu/model/device_cache.h"

namespace kvantage::gpu {

class CacheTables {
 public:
  /// For `sequences` sequences of which no head ever keeps more than `longest` rows.
  CacheTables(const CacheArena& arena, int sequences, int longest);

  /// Copies what the caches hold now, each head of each with `more` rows behind what it keeps; `more` blocks must be
  /// there.
  void fill(std::span<const DeviceCache* const> caches, int more);
  /// Every head keeps so many rows more from now on; in the stream, and part of a graph.
  void advance(int tokens) { kept_.add_(tokens); }

  /// Heads of all sequences in one layer: sequence s has [s * kv_heads, (s + 1) * kv_heads).
  PagedHeads layer(int layer) const;
  /// Blocks of all heads in one layer: int32 [heads, blocks a head].
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
