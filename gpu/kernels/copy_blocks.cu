#include "gpu/kernels/copy_blocks.h"

#include "gpu/kernels/cuda_check.h"

namespace kvantage::gpu {
namespace {

constexpr unsigned threads = 128;
constexpr unsigned in_flight = 4;  // pieces of 16 bytes per thread that are requested before the first write

/// Memory-bound: a thread block per cache block, of which neighboring threads copy neighboring pieces.
__global__ void __launch_bounds__(threads)
    copy_blocks(const std::uint64_t* from, const std::int32_t* to, unsigned char* arena, std::size_t block_bytes) {
  const auto* const source = reinterpret_cast<const uint4*>(from[blockIdx.x]);
  auto* const target = reinterpret_cast<uint4*>(arena + static_cast<std::size_t>(to[blockIdx.x]) * block_bytes);
  const std::size_t pieces = block_bytes / sizeof(uint4);
  for (std::size_t first = threadIdx.x; first < pieces; first += threads * in_flight) {
    uint4 held[in_flight];
#pragma unroll
    for (unsigned i = 0; i < in_flight; ++i) {
      const std::size_t at = first + i * threads;
      held[i] = source[at < pieces ? at : first];
    }
#pragma unroll
    for (unsigned i = 0; i < in_flight; ++i)
      if (first + i * threads < pieces) target[first + i * threads] = held[i];
  }
}

}  // namespace

Status launch_copy_blocks(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes, Stream stream) {
  if (block_bytes % sizeof(uint4) != 0 || copies.count < 0)
    return fail(ErrorCode::usage, "copy_blocks: blocks have a multiple of 16 bytes");
  if (copies.count == 0 || block_bytes == 0) return {};
  KV_LAUNCH(copy_blocks, dim3(static_cast<unsigned>(copies.count)), dim3(threads), 0, stream, copies.from, copies.to,
            arena, block_bytes);
  return launched("copy_blocks");
}

}  // namespace kvantage::gpu
