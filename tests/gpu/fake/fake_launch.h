// Launches of kernels into streams of the fake runtime. Without types of CUDA.
#pragma once

#include <functional>

#include "gpu/kernels/device.h"
#include "tests/gpu/trace/stream_trace.h"

namespace kvantage::testing {

/// Submits `run`, which reads and writes these ranges of the device's memory. An injected fault is what the runtime's
/// last error then is, as with CUDA.
void fake_launch(gpu::Stream stream, const char* kernel, const MemoryRanges& reads, const MemoryRanges& writes,
                 std::function<void()> run);
/// From `address` to the end of what was allocated there.
MemoryRange allocated_from(const void* address);

}  // namespace kvantage::testing
