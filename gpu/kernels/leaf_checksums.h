// Checksums of bytes in device memory, computed there: XXH3-64 of each leaf of 4 KiB, the value that checksum_of() of
// core has for it, which is the reference. So an entry of the device tier is verified without crossing the bus.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

inline constexpr std::uint64_t leaf_bytes = 4096;

/// sums[i] = XXH3-64 of bytes[i * leaf_bytes, (i + 1) * leaf_bytes) for each of `leaves` leaves; both on the device.
/// usage: more leaves than one launch takes (8 TiB).
Status launch_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream);

}  // namespace kvantage::gpu
