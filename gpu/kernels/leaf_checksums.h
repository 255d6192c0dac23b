// Checksums of bytes in device memory, computed there: XXH3-64 of each leaf of 4 KiB, the values that the host's
// checksum_of() has. An entry of the device tier is so verified without its bytes crossing the bus.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

inline constexpr std::uint64_t leaf_bytes = 4096;

/// sums[i] = XXH3-64 of bytes[i * leaf_bytes, (i + 1) * leaf_bytes) for each of `leaves` leaves; both on the device.
/// usage: more leaves than one launch takes (8 TiB).
Status launch_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream);
/// Reference on host memory, by checksum_of().
void leaf_checksums_reference(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums);

}  // namespace kvantage::gpu
