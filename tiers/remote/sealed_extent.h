// An extent of a sealed entry, read in whole blocks: only these can be verified. Blocks at its ends that it covers in
// part go to memory of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ports/storage_tier.h"
#include "tiers/remote/entry_seal.h"

namespace kvantage::inline remote {

/// Bytes of an entry from `begin` on, and where they go.
struct EntryPart {
  std::uint64_t begin = 0;
  std::span<std::byte> target;
};

class SealedExtent {
 public:
  /// `target` is as long as the extent, which is within the entry.
  SealedExtent(const ReadExtent& extent, std::span<std::byte> target, std::uint64_t entry_bytes);

  SealedExtent(SealedExtent&&) = default;  // parts point into this one's memory
  SealedExtent& operator=(SealedExtent&&) = default;

  /// What to read: whole blocks, in order, up to the end of the entry.
  const std::vector<EntryPart>& parts() const { return parts_; }
  /// After they were read: whether each block is the one that was sealed; if so, `target` is complete.
  bool finish(const EntrySeal& seal);

 private:
  void add_edge(std::uint64_t block);

  std::uint64_t begin_, end_, entry_bytes_;
  std::span<std::byte> target_;
  std::vector<std::vector<std::byte>> edges_;  // at most two; their memory does not move
  std::vector<EntryPart> parts_;
};

}  // namespace kvantage::inline remote
