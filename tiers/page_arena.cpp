#include "tiers/page_arena.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/units.h"

namespace kvantage::inline tiers {
namespace {

constexpr std::size_t scattered_share = 8;  // of the memory, one part may be free in runs that are too short

}  // namespace

PageArena::PageArena(std::size_t segment_bytes, std::size_t limit_bytes)
    : segment_bytes_(round_up_to_page(segment_bytes)), limit_bytes_(limit_bytes) {}

Expected<PageArena::Runs> PageArena::allocate(std::size_t bytes) {
  const std::size_t wanted = round_up_to_page(bytes);
  Runs runs;
  if (wanted == 0) return runs;
  const std::lock_guard lock(mutex_);
  auto whole = shortest_run(wanted);
  if (whole == free_.end()) {
    KV_TRY(grow(wanted));
    whole = shortest_run(wanted);
  }
  if (whole != free_.end()) {
    runs.push_back(take(whole, wanted));
    return runs;
  }
  for (std::size_t missing = wanted; missing > 0;) {
    const std::size_t part = std::min(missing, free_.begin()->second);
    runs.push_back(take(free_.begin(), part));
    missing -= part;
  }
  return runs;
}

std::map<std::byte*, std::size_t>::iterator PageArena::shortest_run(std::size_t bytes) {
  auto shortest = free_.end();
  for (auto run = free_.begin(); run != free_.end(); ++run)
    if (run->second >= bytes && (shortest == free_.end() || run->second < shortest->second)) shortest = run;
  return shortest;
}

/// Afterwards at least so much is free; in one run unless fragmentation would take too much memory.
Status PageArena::grow(std::size_t wanted) {
  const bool enough = free_bytes_ >= wanted;
  if (enough && free_bytes_ >= mapped_bytes_ / scattered_share) return {};
  // As many as fit: entries of one size leave nothing over.
  if (add_segment(std::max<std::size_t>(1, segment_bytes_ / wanted) * wanted) || enough) return {};
  return add_segment(std::max(segment_bytes_, wanted - free_bytes_));
}

Status PageArena::add_segment(std::size_t bytes) {
  if (limit_bytes_ != 0 && mapped_bytes_ + bytes > limit_bytes_)
    return fail(ErrorCode::no_space, "host memory: " + format_bytes(mapped_bytes_) + " of at most " +
                                         format_bytes(limit_bytes_) + " are in use, " + format_bytes(bytes) +
                                         " more do not fit");
  KV_ASSIGN(auto memory, MappedMemory::map(bytes, true));
  std::byte* const base = memory.data();
  const std::size_t size = memory.size();
  segments_.emplace(base, Segment{std::move(memory), 0});
  free_.emplace(base, size);
  free_bytes_ += size;
  mapped_bytes_ += size;
  return {};
}

void PageArena::release(const Runs& runs) {
  const std::lock_guard lock(mutex_);
  for (const std::span<std::byte> run : runs) give(run);
  unmap_empty_segments();
}

PageArena::Segment& PageArena::segment_of(const std::byte* address) {
  return std::prev(segments_.upper_bound(address))->second;
}

std::span<std::byte> PageArena::take(std::map<std::byte*, std::size_t>::iterator run, std::size_t bytes) {
  std::byte* const address = run->first;
  const std::size_t rest = run->second - bytes;
  free_.erase(run);
  if (rest > 0) free_.emplace(address + bytes, rest);
  free_bytes_ -= bytes;
  segment_of(address).allocated += bytes;
  return {address, bytes};
}

void PageArena::give(std::span<std::byte> run) {
  Segment& segment = segment_of(run.data());
  segment.allocated -= run.size();
  free_bytes_ += run.size();
  auto here = free_.emplace(run.data(), run.size()).first;
  if (const auto next = std::next(here);
      next != free_.end() && here->first + here->second == next->first && &segment_of(next->first) == &segment) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here != free_.begin()) {
    const auto previous = std::prev(here);
    if (previous->first + previous->second == here->first && &segment_of(previous->first) == &segment) {
      previous->second += here->second;
      free_.erase(here);
    }
  }
}

void PageArena::unmap_empty_segments() {
  bool one_kept = false;  // a spare, to avoid mapping and unmapping near a boundary
  for (auto it = segments_.begin(); it != segments_.end();) {
    const bool empty = it->second.allocated == 0;
    const bool spare = empty && !one_kept && it->second.memory.size() <= segment_bytes_;
    one_kept = one_kept || spare;
    if (!empty || spare) {
      ++it;
      continue;
    }
    free_.erase(it->second.memory.data());
    free_bytes_ -= it->second.memory.size();
    mapped_bytes_ -= it->second.memory.size();
    it = segments_.erase(it);
  }
}

std::size_t PageArena::allocated_bytes() const {
  const std::lock_guard lock(mutex_);
  return mapped_bytes_ - free_bytes_;
}

std::size_t PageArena::mapped_bytes() const {
  const std::lock_guard lock(mutex_);
  return mapped_bytes_;
}

}  // namespace kvantage::inline tiers
