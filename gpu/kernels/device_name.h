// What a device calls itself.
#pragma once

#include <string>

namespace kvantage::gpu {

/// "NVIDIA H100 80GB HBM3" of the device of that number; empty where it does not say. Of the emulation, "emulated".
std::string device_name(int device);

}  // namespace kvantage::gpu
