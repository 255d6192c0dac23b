#include "tiers/remote/redis_allocation.h"

#include <algorithm>
#include <bit>

namespace kvantage::inline remote {
namespace {

constexpr std::uint64_t value_header_bytes = 12;  // of an sds string: lengths and flags, two spare bytes, a zero
constexpr std::uint64_t spare_bytes = 64;         // left in a size, should a server add more
constexpr std::uint64_t key_bytes = 256;          // of each part, beside its value
constexpr std::uint64_t many_bytes = std::uint64_t{64} << 20;  // from here on the last part does not matter

// The smallest size class that holds `bytes`.
std::uint64_t size_class(std::uint64_t bytes) {
  constexpr std::uint64_t quantum = 16, sizes_per_doubling = 4;
  const std::uint64_t doubling = std::bit_floor(std::max<std::uint64_t>(bytes, 2) - 1);
  const std::uint64_t step = std::max(doubling / sizes_per_doubling, quantum);
  return (bytes + step - 1) / step * step;
}

std::uint64_t taken_in_parts(std::uint64_t entry_bytes, std::uint64_t chunk_bytes) {
  const std::uint64_t whole = entry_bytes / chunk_bytes, rest = entry_bytes % chunk_bytes;
  return whole * (allocated_bytes(chunk_bytes) + key_bytes) + (rest == 0 ? 0 : allocated_bytes(rest) + key_bytes);
}

}  // namespace

std::uint64_t allocated_bytes(std::uint64_t value_bytes) { return size_class(value_bytes + value_header_bytes); }

std::uint64_t fitting_chunk_bytes(std::uint64_t entry_bytes) {
  std::uint64_t best = max_chunk_bytes - spare_bytes;
  if (entry_bytes >= many_bytes) return best;
  std::uint64_t least = taken_in_parts(entry_bytes, best);
  for (std::uint64_t size = max_chunk_bytes; size >= max_chunk_bytes / 4;) {
    const std::uint64_t chunk = size - spare_bytes, taken = taken_in_parts(entry_bytes, chunk);
    if (taken < least) {
      least = taken;
      best = chunk;
    }
    size -= std::bit_floor(size - 1) / 4;
  }
  return best;
}

}  // namespace kvantage::inline remote
