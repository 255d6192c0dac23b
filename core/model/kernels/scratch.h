// Working memory of the kernels: one buffer a thread, kept between calls. Ordinary functions, so that nothing of the
// standard library is compiled for an instruction set that the processor may lack.
#pragma once

#include <cstddef>

namespace kvantage {

/// At least `bytes` bytes, aligned to 64, valid until the thread's next call.
std::byte* kernel_scratch(std::size_t bytes);

/// Cuts a scratch buffer into arrays: measure with base = nullptr first, then cut.
struct ScratchCutter {
  std::byte* base = nullptr;
  std::size_t used = 0;

  std::byte* take(std::size_t bytes) {
    std::byte* start = base == nullptr ? nullptr : base + used;
    used += (bytes + 63) / 64 * 64;
    return start;
  }
};

}  // namespace kvantage
