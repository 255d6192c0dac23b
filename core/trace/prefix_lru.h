// What an LRU cache of a capacity would have served of a trace: pure counting, no bytes, no clock.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/lru_cache.h"

namespace kvantage {

/// Counts of hits; both in blocks of 512 tokens.
struct HitCounts {
  std::uint64_t hits = 0, all = 0;
  double hit_rate() const { return all == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(all); }
};

/// LRU over prefix blocks. A request's blocks are touched front to back and held at once; a hit is a block that is held
/// when it is touched while all earlier ones of the request hit, because keys and values depend on all before them. All
/// blocks make the denominator.
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

/// LRU over whole contexts: a context weighs the blocks of the input it was touched with, is there whole or not at all,
/// and serves no more than was held and no more than is asked for.
class ContextLru {
 public:
  explicit ContextLru(std::uint64_t capacity_blocks) : cache_(capacity_blocks) {}
  /// Blocks of this request that were there.
  std::uint64_t touch(std::uint64_t context, std::uint64_t blocks);
  const HitCounts& counts() const { return counts_; }

 private:
  LruCache cache_;
  HitCounts counts_;
};

}  // namespace kvantage
