#include "core/base/digest.h"
#include "gpu/kernels/leaf_checksums.h"

namespace kvantage::gpu {

void leaf_checksums_reference(const std::byte* bytes, std::uint64_t leaves, std::uint64_t* sums) {
  for (std::uint64_t leaf = 0; leaf < leaves; ++leaf)
    sums[leaf] = checksum_of(std::span(bytes + leaf * leaf_bytes, leaf_bytes));
}

}  // namespace kvantage::gpu
