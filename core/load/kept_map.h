// Which tokens each head of a compressed entry keeps, beside the entry under a key of its own: the bitmaps within the
// entry lie with the rows that they are of, so a reader who has not loaded a chunk, or found it damaged, would not know
// what to keep of it.
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
  /// What `stored` keeps of its context.
  static KeptMap of(const KvCache& stored);
  /// Reads what bytes() wrote. corrupt: damaged, cut short, or not of the entry of `header`.
  static Expected<KeptMap> parse(std::span<const std::byte> bytes, const EntryHeader& header);

  std::vector<std::byte> bytes(const EntryHeader& header) const;
  /// Indices for KvCache::keep() of a layer that holds tokens [0, tokens) of the context.
  KeptIndices kept_below(int layer, std::int32_t tokens) const;
  std::uint64_t rows() const;
  /// Whether it keeps as many rows of each chunk of each layer as the entry holds.
  bool fits(const EntryHeader& header) const;

 private:
  int kv_heads_ = 0;
  std::vector<std::vector<std::int32_t>> positions_;  // [layers * kv_heads], ascending
};

/// Length of the map of an entry of this header.
std::size_t kept_map_bytes(const EntryHeader& header);
/// Where the map of an entry is kept.
Digest128 kept_map_key(const Digest128& entry);

/// Writes the map beside the entry and waits. Errors: the tier's.
Status write_kept_map(StorageTier& tier, const KvCache& stored, const EntryHeader& header);
/// Reads it and waits. Errors: the tier's and the lender's; corrupt as parse().
Expected<KeptMap> read_kept_map(StorageTier& tier, BufferLender& lender, const EntryHeader& header);

}  // namespace kvantage::inline loading
