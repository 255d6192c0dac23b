#include <algorithm>

#include "gpu/kernels/copy_blocks.h"

namespace kvantage::gpu {

void copy_blocks_reference(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes) {
  for (int i = 0; i < copies.count; ++i)
    std::copy_n(reinterpret_cast<const unsigned char*>(copies.from[i]), block_bytes,
                arena + static_cast<std::size_t>(copies.to[i]) * block_bytes);
}

}  // namespace kvantage::gpu
