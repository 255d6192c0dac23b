// Host memory in 4 KiB pages for entries of any size. An entry takes the shortest run of pages that holds it. Where
// none does, the arena grows; but if it may not, or if an eighth of its memory is free and that is enough, the entry
// takes several runs: fragmentation never makes free memory unusable. Grows by prefaulted segments, on huge pages where
// available, and returns empty ones.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {

class PageArena {
 public:
  using Runs = std::vector<std::span<std::byte>>;  // in order; each a multiple of 4 KiB

  /// `segment_bytes`: segments are at most so long, or as one entry. `limit_bytes`: maximum memory; 0: no limit.
  explicit PageArena(std::size_t segment_bytes = std::size_t{16} << 20, std::size_t limit_bytes = 0);
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;

  /// Pages for `bytes` (rounded up to 4 KiB). no_space at the limit or when the system denies memory. Thread-safe.
  Expected<Runs> allocate(std::size_t bytes);
  void release(const Runs& runs);

  std::size_t allocated_bytes() const;
  std::size_t mapped_bytes() const;

 private:
  struct Segment {
    MappedMemory memory;
    std::size_t allocated = 0;
  };

  std::map<std::byte*, std::size_t>::iterator shortest_run(std::size_t bytes);
  Status grow(std::size_t wanted);
  Status add_segment(std::size_t bytes);
  Segment& segment_of(const std::byte* address);
  std::span<std::byte> take(std::map<std::byte*, std::size_t>::iterator run, std::size_t bytes);
  void give(std::span<std::byte> run);
  void unmap_empty_segments();

  const std::size_t segment_bytes_;
  const std::size_t limit_bytes_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, Segment> segments_;  // by first address
  std::map<std::byte*, std::size_t> free_;        // runs by address; neighbors within a segment are merged
  std::size_t free_bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace kvantage::inline tiers
