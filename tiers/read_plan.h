// Plans how the extents of one read reach their buffers: aligned ones directly (the device merges neighbors), the
// others through scratch memory, with small neighbors combined. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::inline tiers {

struct ReadPlanLimits {
  std::uint64_t scratch_bytes = 1 << 20;       // largest request of several extents
  std::uint64_t large_bytes = 256 << 10;       // extents of at least this size are not merged with neighbors
  std::uint64_t largest_gap_bytes = 16 << 10;  // bytes wasted to save a request
};

/// Extents [first, first + count) read as bytes [begin, end) of the entry, both multiples of 4 KiB.
struct ReadGroup {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool straight = false;  // one extent, directly into its buffer
};

/// Groups in extent order. `targets[i]`: the buffer of extent i. A group of one extent may exceed the scratch buffer;
/// it is then read in steps.
std::vector<ReadGroup> plan_reads(std::span<const ReadExtent> extents, std::span<const std::span<std::byte>> targets,
                                  const ReadPlanLimits& limits);

}  // namespace kvantage::inline tiers
