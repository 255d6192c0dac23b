// The accelerator's part of the engine: kernels with a CPU twin each, so that every kernel has something to be held
// against and every caller works without a GPU. This first one gathers kept rows of keys or values: the data movement
// under every token evictor (kept indices -> denser rows).
//
//   source  [heads, tokens, head_dim]      any element type, row = head_dim * element bytes
//   kept    [heads, kept]   int32, ascending within a head
//   target  [heads, kept, head_dim]
// CUDA sources compile when nvcc is found; cuda_available() tells whether a device is there at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/error.h"

namespace kvantage::gpu {

struct GatherShape {
  int heads = 0;
  int tokens = 0;         // rows per head in the source
  int kept = 0;           // rows per head in the target
  std::size_t row_bytes = 0;
};

/// Copies the kept rows on the CPU. rejected_input when a span is too small or an index lies outside [0, tokens).
Status gather_rows_cpu(const GatherShape& shape, std::span<const std::byte> source, std::span<const std::int32_t> kept,
                       std::span<std::byte> target);

/// Whether this build has CUDA code and a device answers.
bool cuda_available();

/// The same on the current CUDA device: copies in, gathers, copies out (host pointers). internal error with CUDA's own
/// text when the device refuses; not_found when there is none.
Status gather_rows_cuda(const GatherShape& shape, std::span<const std::byte> source,
                        std::span<const std::int32_t> kept, std::span<std::byte> target);

}  // namespace kvantage::gpu
