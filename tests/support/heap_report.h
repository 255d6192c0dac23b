// Where the memory of a program is, from malloc and from the system, and by which work it grows. Needs heap_peak.h in
// the same file.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/heap_peak.h"

namespace kvantage::test {

/// In bytes. `live`: blocks that the program has, of all arenas and mapped ones; `free`: what malloc keeps for later
/// ones, which is fragmentation where it grows and `live` does not; `resident`: by the system, code included.
struct MemoryNow {
  double live = 0, free = 0, resident = 0;
  MemoryNow& operator+=(const MemoryNow& other) {
    live += other.live;
    free += other.free;
    resident += other.resident;
    return *this;
  }
  MemoryNow operator-(const MemoryNow& other) const {
    return {live - other.live, free - other.free, resident - other.resident};
  }
};

inline MemoryNow memory_now() {
  const struct mallinfo2 heap = ::mallinfo2();
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident_pages = 0;
  statm >> all >> resident_pages;
  return {static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd), static_cast<double>(heap.fordblks),
          resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE))};
}

/// What grew from the beginning of each piece of work to its end, by the name of the work. A view that is painted later
/// is counted there; over many rounds the sum of all is what the program grew by.
class GrowthByPhase {
 public:
  void add(const std::string& phase, const MemoryNow& growth) {
    const auto known = std::ranges::find(phases_, phase, &std::pair<std::string, MemoryNow>::first);
    if (known == phases_.end())
      phases_.emplace_back(phase, growth);
    else
      known->second += growth;
  }
  void print(std::size_t rounds) const {
    const double each = static_cast<double>(std::max<std::size_t>(1, rounds));
    std::printf("growth a round, over %zu rounds:\n", rounds);
    for (const auto& [phase, growth] : phases_)
      std::printf("  %-12s live %+9.0f bytes, free inside the heap %+9.0f, resident %+9.0f\n", phase.c_str(),
                  growth.live / each, growth.free / each, growth.resident / each);
  }

 private:
  std::vector<std::pair<std::string, MemoryNow>> phases_;  // in order of their first time
};

using BlocksBySize = std::array<std::ptrdiff_t, heap_steps>;

inline BlocksBySize blocks_by_size() {
  BlocksBySize counts{};
  for (std::size_t i = 0; i < heap_steps; ++i) counts[i] = heap_blocks[i].load();
  return counts;
}

/// The sizes of which there are more bytes now than `before`: objects that are made again and again and never go have
/// one size each.
inline void print_grown_sizes(const BlocksBySize& before, std::size_t rounds) {
  constexpr std::size_t shown = 8;
  const BlocksBySize now = blocks_by_size();
  const double each = static_cast<double>(std::max<std::size_t>(1, rounds));
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> grown;  // bytes, step
  grown.reserve(heap_steps);
  for (std::size_t i = 0; i < heap_steps; ++i)
    if (now[i] > before[i])
      grown.emplace_back((now[i] - before[i]) * static_cast<std::ptrdiff_t>((i + 1) * heap_step_bytes), i);
  std::ranges::sort(grown, std::greater<>{});
  std::printf("blocks more a round, by size:\n");
  for (std::size_t i = 0; i < std::min(shown, grown.size()); ++i) {
    const std::size_t step = grown[i].second;
    std::printf("  %8.3f of %s%zu bytes\n", static_cast<double>(now[step] - before[step]) / each,
                step + 1 == heap_steps ? "at least " : "up to ",
                step + 1 == heap_steps ? step * heap_step_bytes : (step + 1) * heap_step_bytes - 1);
  }
}

/// What malloc gives back to the system when asked: resident bytes that were fragmentation.
inline double trimmed_bytes() {
  const double before = memory_now().resident;
  ::malloc_trim(0);
  return before - memory_now().resident;
}

}  // namespace kvantage::test
