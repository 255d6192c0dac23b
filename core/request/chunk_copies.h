// Copies of chunks of an entry on tiers faster than its own. The entry stays whole on its tier, so a copy may be lost
// at any time. Implemented over the tiers in core/store/chunk_cache.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/request/range_reads.h"

namespace kvantage::inline requests {

/// A part of one layer of an entry of token chunks.
struct ChunkId {
  static constexpr int probe_keys = -1;  // as `chunk`: the keys of the probe heads, of all tokens

  Digest128 entry;
  int layer = 0;
  int chunk = 0;   // keys of the other heads and values of all heads, of these tokens
  int probes = 0;  // heads whose keys are in the part probe_keys
};

class ChunkCopies {
 public:
  virtual ~ChunkCopies() = default;
  /// A request reads this entry.
  virtual void note_access(const Digest128& entry) = 0;
  /// Where its copy is, from byte 0 on; nothing: there is none.
  virtual std::optional<RangeReads::Source> find(const ChunkId& id) = 0;
  /// A request used it, and so many of its tokens were important. May keep a copy of its bytes, which `make` gives.
  virtual void used(const ChunkId& id, int important_tokens, std::uint64_t bytes,
                    const std::function<std::vector<std::byte>()>& make) = 0;
  /// Its copy could not be read, or is damaged.
  virtual void lost(const ChunkId& id) = 0;
};

}  // namespace kvantage::inline requests
