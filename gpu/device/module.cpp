// libkvantage_gpu.so: the CUDA accelerator.
#include "gpu/device/cuda_memory.h"
#include "gpu/device/module_entry.h"

extern "C" __attribute__((visibility("default"))) int kvantage_accelerator_open(int abi, kvantage::Accelerator** opened,
                                                                                char* reason,
                                                                                std::size_t reason_bytes) {
  return kvantage::gpu::open_module(kvantage::accelerator_abi, abi, opened, reason, reason_bytes,
                                    kvantage::gpu::open_cuda_memory);
}
