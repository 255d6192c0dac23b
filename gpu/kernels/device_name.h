// The name of a device.
#pragma once

#include <string>

namespace kvantage::gpu {

/// "NVIDIA H100 80GB HBM3" for the device with this index; empty if unavailable. "emulated" in the emulation.
std::string device_name(int device);

}  // namespace kvantage::gpu
