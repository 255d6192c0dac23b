// Shared entry code of all modules, for any memory: CUDA and the test implementations.
#pragma once

#include <cstdio>

#include "gpu/device/device_accelerator.h"

namespace kvantage::gpu {

/// As AcceleratorEntry. `own_abi`: that of this module. Only C types cross the boundary before the versions match.
template <class OpenMemory>
int open_module(int own_abi, int abi, Accelerator** opened, char* reason, std::size_t reason_bytes,
                const OpenMemory& open_memory) {
  const auto refuse = [&](const std::string& why) {
    std::snprintf(reason, reason_bytes, "%s", why.c_str());
    return 1;
  };
  if (abi != own_abi)
    return refuse("the module was built for interface " + std::to_string(own_abi) + " and the program has " +
                  std::to_string(abi) + "; build both from one tree");
  auto memory = open_memory();
  if (!memory) return refuse(memory.error().message);
  auto accelerator = DeviceAccelerator::open(std::move(*memory));
  if (!accelerator) return refuse(accelerator.error().message);
  *opened = accelerator->release();
  return 0;
}

}  // namespace kvantage::gpu
