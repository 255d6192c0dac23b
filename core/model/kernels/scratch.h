// Scratch memory of the kernels: one buffer per thread, reused between calls. Plain functions, so that no standard
// library code is compiled for an instruction set that the CPU may lack.
#pragma once

#include <cstddef>

namespace kvantage::inline model_kernels {

/// At least `bytes` bytes, aligned to 64, valid until the thread's next call.
std::byte* kernel_scratch(std::size_t bytes);

/// Splits a scratch buffer into arrays: measure with base = nullptr first, then split.
struct ScratchCutter {
  std::byte* base = nullptr;
  std::size_t used = 0;

  std::byte* take(std::size_t bytes) {
    std::byte* start = base == nullptr ? nullptr : base + used;
    used += (bytes + 63) / 64 * 64;
    return start;
  }
};

}  // namespace kvantage::inline model_kernels
