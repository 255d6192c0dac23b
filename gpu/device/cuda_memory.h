// DeviceMemory on the CUDA runtime: one stream per direction, events around each copy. The runtime is linked statically
// and looks up the driver on first use, so this loads on any machine and reports what is missing.
#pragma once

#include "gpu/device/device_memory.h"

namespace kvantage::gpu {

/// The first visible device (CUDA_VISIBLE_DEVICES selects it). not_found, with reason and fix, if there is no driver or
/// no device, or if the device cannot copy.
Expected<std::shared_ptr<DeviceMemory>> open_cuda_memory();

}  // namespace kvantage::gpu
