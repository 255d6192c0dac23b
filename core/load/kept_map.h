// Which tokens each head of a compressed entry keeps, stored next to the entry under its own key. The bitmaps within an
// entry are part of its chunks, so a reader that has not loaded a chunk, or found it corrupt, could not know what to
// keep of it.
//
//   [magic, version, layers, kv_heads, tokens, key of the entry][for each layer and head a bitmap of the context][XXH3]
//   padded to 4 KiB
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/kv/serial.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline loading {

class KeptMap {
 public:
  /// The tokens that `stored` keeps of its context.
  static KeptMap of(const KvCache& stored);
  /// Parses the output of bytes(). corrupt: damaged, truncated, or not for the entry of `header`.
  static Expected<KeptMap> parse(std::span<const std::byte> bytes, const EntryHeader& header);

  std::vector<std::byte> bytes(const EntryHeader& header) const;
  /// Indices for KvCache::keep() of a layer that holds tokens [0, tokens) of the context.
  KeptIndices kept_below(int layer, std::int32_t tokens) const;
  std::uint64_t rows() const;
  /// Whether the map has as many rows per chunk and layer as the entry.
  bool fits(const EntryHeader& header) const;

 private:
  int kv_heads_ = 0;
  std::vector<std::vector<std::int32_t>> positions_;  // [layers * kv_heads], ascending
};

/// Length of the map for an entry with this header.
std::size_t kept_map_bytes(const EntryHeader& header);
/// Key of an entry's map.
Digest128 kept_map_key(const Digest128& entry);

/// Writes the map and waits. Errors: the tier's.
Status write_kept_map(StorageTier& tier, const KvCache& stored, const EntryHeader& header);
/// Reads the map and waits. Errors: the tier's and the lender's; corrupt as parse().
Expected<KeptMap> read_kept_map(StorageTier& tier, BufferLender& lender, const EntryHeader& header);

}  // namespace kvantage::inline loading
