// Checksums of bytes in device memory, computed there: XXH3-64, the value that checksum_of() of core has for them,
// which is the reference. So an entry of the device tier is verified without crossing the bus.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

inline constexpr std::uint64_t leaf_bytes = 4096;

/// sums[i] = XXH3-64 of bytes[i * leaf_bytes, (i + 1) * leaf_bytes) for each of `leaves` leaves; both on the device,
/// bytes aligned to 16. The last leaf has last_bytes bytes and counts as if zeros followed them, of which none is read.
/// usage: more leaves than one launch takes (8 TiB), or last_bytes of none or of more than a leaf.
Status launch_leaf_checksums(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums, Stream stream,
                             std::uint64_t last_bytes = leaf_bytes);

/// Whether cache blocks of so many bytes can be checked: shorter ones have another form of checksum.
constexpr bool can_check_blocks_of(std::uint64_t block_bytes) { return block_bytes >= 256 && block_bytes % 64 == 0; }

/// Adjacent cache blocks and what XXH3-64 of each must be. Device addresses, blocks aligned to 16 bytes.
struct BlockChecksums {
  const std::byte* blocks = nullptr;  // [count, block_bytes]
  std::uint64_t count = 0;
  std::uint64_t block_bytes = 0;        // can_check_blocks_of()
  const std::uint64_t* sums = nullptr;  // [count]
};
/// Adds the number of blocks with another checksum to *changed, on the device. usage: another block_bytes.
Status launch_check_blocks(const BlockChecksums& blocks, std::uint32_t* changed, Stream stream);
/// *changed = 0, on the device.
Status launch_reset_count(std::uint32_t* changed, Stream stream);

}  // namespace kvantage::gpu
