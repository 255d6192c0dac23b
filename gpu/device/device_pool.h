// Device memory in blocks for entries of any size. An entry takes the shortest run of blocks that holds it, else
// several runs, so fragmentation never makes free memory unusable. Grows by segments and returns empty ones.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/device/device_memory.h"

namespace kvantage::gpu {

struct DeviceRun {
  DeviceAddress address = 0;
  std::uint64_t bytes = 0;  // whole blocks
};
using DeviceRuns = std::vector<DeviceRun>;

/// Calls each(address, from, bytes) for every part of [offset, offset + bytes) within one run, in order; `from` is
/// relative to offset. Stops at the first error.
template <class Each>
Status over_runs(const DeviceRuns& runs, std::uint64_t offset, std::uint64_t bytes, const Each& each) {
  std::uint64_t run_begin = 0;
  for (const DeviceRun& run : runs) {
    const std::uint64_t from = std::max(run_begin, offset), to = std::min(run_begin + run.bytes, offset + bytes);
    if (from < to) KV_TRY(each(run.address + (from - run_begin), from - offset, to - from));
    run_begin += run.bytes;
  }
  return {};
}

/// Bytes in blocks, cumulative: given == used + given_back, always.
struct PoolCounts {
  std::uint64_t given = 0, given_back = 0;
  std::uint64_t used = 0;  // now
  std::uint64_t held = 0;  // currently reserved on the device

  PoolCounts operator+(const PoolCounts& other) const {
    return {given + other.given, given_back + other.given_back, used + other.used, held + other.held};
  }
};

class DevicePool {
 public:
  static constexpr std::uint64_t block_bytes = std::uint64_t{16} << 10;
  static constexpr std::uint64_t default_segment_bytes = std::uint64_t{64} << 20;

  /// unit_bytes: what all runs are multiples of.
  explicit DevicePool(std::shared_ptr<DeviceMemory> memory, std::uint64_t segment_bytes = default_segment_bytes,
                      std::uint64_t unit_bytes = block_bytes);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  /// Blocks for `bytes`, in byte order. no_space when the device has no more memory. Thread-safe.
  Expected<DeviceRuns> allocate(std::uint64_t bytes);
  void release(const DeviceRuns& runs);
  PoolCounts counts() const;

 private:
  struct Segment {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };
  using FreeRuns = std::map<DeviceAddress, std::uint64_t>;

  Segment& segment_of(DeviceAddress address);
  Status grow(std::uint64_t missing);
  DeviceRun take(FreeRuns::iterator run, std::uint64_t bytes);
  void give(const DeviceRun& run);
  void release_empty_segments();

  std::uint64_t in_units(std::uint64_t bytes) const { return (bytes + unit_bytes_ - 1) / unit_bytes_ * unit_bytes_; }

  std::shared_ptr<DeviceMemory> memory_;
  const std::uint64_t unit_bytes_, segment_bytes_;
  mutable std::mutex mutex_;
  std::map<DeviceAddress, Segment> segments_;
  FreeRuns free_;  // neighbors within a segment are merged
  std::uint64_t free_bytes_ = 0;
  PoolCounts counts_;
};

}  // namespace kvantage::gpu
