// The GPU of this machine, for programs that have nothing to do without one.
#pragma once

#include <cstdio>
#include <cstdlib>

#ifdef KVANTAGE_CUDA
#include "gpu/device/cuda_memory.h"
#else
#include "gpu/device/device_memory.h"
#endif

namespace kvantage::testing {

inline constexpr int skipped = 77;  // what ctest takes for skipped

/// Ends the program as skipped, with the reason, where there is none.
inline std::shared_ptr<gpu::DeviceMemory> device_or_skip() {
#ifdef KVANTAGE_CUDA
  auto memory = gpu::open_cuda_memory();
  if (memory) return std::move(*memory);
  std::printf("skipped: no GPU: %s\n", memory.error().message.c_str());
#else
  std::printf("skipped: no GPU: built without nvcc\n");
#endif
  std::exit(skipped);
}

}  // namespace kvantage::testing
