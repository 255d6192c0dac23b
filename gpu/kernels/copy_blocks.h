// Copies whole cache blocks within a device's memory, from any addresses to blocks of an arena: how a cache that is
// stored there becomes that of a request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Device addresses. Sources are aligned to 16 bytes; no block is both a source and a target.
struct BlockCopies {
  const std::uint64_t* from = nullptr;  // [count] addresses
  const std::int32_t* to = nullptr;     // [count] blocks of the arena
  int count = 0;
};

/// arena: aligned to 16 bytes. usage: block_bytes is not a multiple of 16.
Status launch_copy_blocks(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes, Stream stream);
/// Reference on host memory.
void copy_blocks_reference(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes);

}  // namespace kvantage::gpu
