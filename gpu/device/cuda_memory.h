// DeviceMemory by CUDA's runtime: a stream for each direction, events around each copy. The runtime is linked
// statically and looks for the driver when it is first asked, so this loads, and says what is missing, on any machine.
#pragma once

#include "gpu/device/device_memory.h"

namespace kvantage::gpu {

/// The first device that the driver shows (CUDA_VISIBLE_DEVICES chooses). not_found, with reason and mend, where there
/// is no driver or no device, or where the device is in a state that no copy can be made in.
Expected<std::shared_ptr<DeviceMemory>> open_cuda_memory();

}  // namespace kvantage::gpu
