#include "gpu/device/device_pool.h"

#include <algorithm>
#include <iterator>

namespace kvantage::gpu {

DevicePool::DevicePool(std::shared_ptr<DeviceMemory> memory, std::uint64_t segment_bytes, std::uint64_t unit_bytes)
    : memory_(std::move(memory)), unit_bytes_(unit_bytes), segment_bytes_(in_units(segment_bytes)) {}

DevicePool::~DevicePool() {
  for (const auto& [address, segment] : segments_) memory_->release(address);
}

Expected<DeviceRuns> DevicePool::allocate(std::uint64_t bytes) {
  const std::uint64_t wanted = in_units(bytes);
  const std::lock_guard lock(mutex_);
  if (free_bytes_ < wanted) KV_TRY(grow(wanted - free_bytes_));
  DeviceRuns runs;
  auto best = free_.end(), longest = free_.end();
  const auto look = [&](std::uint64_t missing) {
    best = longest = free_.end();
    for (auto run = free_.begin(); run != free_.end(); ++run) {
      if (run->second >= missing && (best == free_.end() || run->second < best->second)) best = run;
      if (longest == free_.end() || run->second > longest->second) longest = run;
    }
  };
  for (std::uint64_t missing = wanted; missing > 0; missing -= runs.back().bytes) {
    look(missing);  // the longest ones first: few copies
    runs.push_back(best != free_.end() ? take(best, missing) : take(longest, longest->second));
  }
  counts_.given += wanted;
  counts_.used += wanted;
  return runs;
}

Status DevicePool::grow(std::uint64_t missing) {
  // A whole segment if there is space for one, else what is needed.
  const std::uint64_t most = std::max(segment_bytes_, missing);
  std::uint64_t size = most;
  auto address = memory_->allocate(size);
  if (!address && size > missing) address = memory_->allocate(size = missing);
  KV_TRY(address);
  segments_.emplace(*address, Segment{size, 0});
  free_.emplace(*address, size);
  free_bytes_ += size;
  counts_.held += size;
  return {};
}

void DevicePool::release(const DeviceRuns& runs) {
  const std::lock_guard lock(mutex_);
  for (const DeviceRun& run : runs) give(run);
  release_empty_segments();
}

DevicePool::Segment& DevicePool::segment_of(DeviceAddress address) {
  return std::prev(segments_.upper_bound(address))->second;
}

DeviceRun DevicePool::take(FreeRuns::iterator run, std::uint64_t bytes) {
  const DeviceAddress address = run->first;
  const std::uint64_t rest = run->second - bytes;
  free_.erase(run);
  if (rest > 0) free_.emplace(address + bytes, rest);
  free_bytes_ -= bytes;
  segment_of(address).used += bytes;
  return {address, bytes};
}

void DevicePool::give(const DeviceRun& run) {
  Segment& segment = segment_of(run.address);
  segment.used -= run.bytes;
  free_bytes_ += run.bytes;
  counts_.used -= run.bytes;
  counts_.given_back += run.bytes;
  auto here = free_.emplace(run.address, run.bytes).first;
  if (const auto next = std::next(here);
      next != free_.end() && here->first + here->second == next->first && &segment_of(next->first) == &segment) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here == free_.begin()) return;
  const auto previous = std::prev(here);
  if (previous->first + previous->second != here->first || &segment_of(previous->first) != &segment) return;
  previous->second += here->second;
  free_.erase(here);
}

void DevicePool::release_empty_segments() {
  bool one_kept = false;  // a spare, to avoid repeated allocation near a boundary
  for (auto it = segments_.begin(); it != segments_.end();) {
    const auto& [address, segment] = *it;
    const bool spare = segment.used == 0 && !one_kept && segment.bytes == segment_bytes_;
    one_kept = one_kept || spare;
    if (segment.used > 0 || spare) {
      ++it;
      continue;
    }
    free_.erase(address);
    free_bytes_ -= segment.bytes;
    counts_.held -= segment.bytes;
    memory_->release(address);
    it = segments_.erase(it);
  }
}

PoolCounts DevicePool::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace kvantage::gpu
