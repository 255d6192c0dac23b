// Owned, anonymous, page-aligned memory: scratch of the I/O threads, buffers of the pool, segments of the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/error.h"

namespace kvantage::inline tiers {

inline constexpr std::size_t page_bytes = 4096;

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

inline constexpr std::uint64_t round_up_to_page(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}
inline constexpr std::uint64_t round_down_to_page(std::uint64_t bytes) { return bytes / page_bytes * page_bytes; }

class MappedMemory {
 public:
  MappedMemory() = default;
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;

  /// `bytes` (rounded up to 4 KiB) of memory; prefault = faulted in now instead of at first use. From 2 MiB on it uses
  /// huge pages where available: a disk transfers such memory in few pieces. no_space when refused.
  static Expected<MappedMemory> map(std::size_t bytes, bool prefault);

  /// Faults in `part` of a mapping. no_space when the system has no memory for it.
  static Status prefault(std::span<std::byte> part);

  std::span<std::byte> bytes() const { return {data_, bytes_}; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace kvantage::inline tiers
