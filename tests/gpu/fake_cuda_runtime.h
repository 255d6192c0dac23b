// The functions of CUDA's runtime that cuda_memory.cpp calls, in host memory: streams are threads, and what is created
// must be destroyed. It checks the calls against their rules as far as that is possible without a device; it cannot
// show what a device does.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

namespace kvantage::testing {

struct FakeCuda {
  // What a test sets.
  std::atomic<int> driver_version{CUDART_VERSION};  // 0: no driver
  std::atomic<cudaError_t> device_count_error{cudaSuccess};
  std::atomic<int> devices{1};
  std::atomic<std::size_t> memory_bytes{std::size_t{1} << 30};
  std::atomic<bool> refuses_pinning{false};
  std::atomic<int> copies_until_failure{-1};  // at the call; -1: never
  std::atomic<bool> lost{false};              // everything that waits fails, as after a fault of the device
  // What is there now.
  std::atomic<int> streams{0}, events{0}, allocations{0}, pins{0};
  std::atomic<std::size_t> allocated_bytes{0};
  std::atomic<int> broken_rules{0};  // an event waited for that was never recorded, memory freed twice, and the like
};
FakeCuda& fake_cuda();

}  // namespace kvantage::testing
