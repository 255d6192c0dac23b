// Lengths of an entry's parts that fit the allocator of the server: Redis and Valkey use jemalloc, which has four sizes
// between two powers of two. A value of exactly 1 MiB takes 1.25 MiB there, as its header goes into the next size.
#pragma once

#include <cstdint>

namespace kvantage::inline remote {

inline constexpr std::uint64_t max_chunk_bytes = std::uint64_t{1} << 20;  // with what the server adds

/// Bytes that the allocator takes for a string value of this length, with the server's header: its key, its row in the
/// server's table and its object (together less than 256 bytes) come on top. Source: jemalloc(3), "size classes"; an
/// sds string of Redis adds at most 12 bytes.
std::uint64_t allocated_bytes(std::uint64_t value_bytes);

/// The length of the parts of an entry of so many bytes; the last part is what is left. Of the lengths that fit a size
/// from 256 KiB to 1 MiB, the one with which all parts take least.
std::uint64_t fitting_chunk_bytes(std::uint64_t entry_bytes);

}  // namespace kvantage::inline remote
