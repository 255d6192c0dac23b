// Hits of an LRU cache of a given capacity on a trace: pure counting, no bytes, no clock.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/lru_cache.h"

namespace kvantage::inline trace {

/// Hit counts, in blocks of the trace (TraceFacts::block_tokens).
struct HitCounts {
  std::uint64_t hits = 0, all = 0;
  double hit_rate() const { return all == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(all); }
};

/// LRU over prefix blocks. A request's blocks are touched front to back and inserted at once. A block is a hit if it is
/// cached and all earlier blocks of the request were hits, because keys and values depend on all before them. The
/// denominator counts all blocks.
class PrefixLru {
 public:
  explicit PrefixLru(std::uint64_t capacity_blocks) : cache_(capacity_blocks) {}
  /// Hits of this request.
  std::uint64_t touch(std::span<const std::uint64_t> blocks);
  const HitCounts& counts() const { return counts_; }

 private:
  LruCache cache_;
  HitCounts counts_;
};

/// LRU over whole contexts: a context weighs its input's blocks at the last touch and is cached entirely or not at all.
/// A hit serves at most the cached blocks and at most the requested ones.
class ContextLru {
 public:
  explicit ContextLru(std::uint64_t capacity_blocks) : cache_(capacity_blocks) {}
  /// Cached blocks of this request.
  std::uint64_t touch(std::uint64_t context, std::uint64_t blocks);
  const HitCounts& counts() const { return counts_; }

 private:
  LruCache cache_;
  HitCounts counts_;
};

}  // namespace kvantage::inline trace
