// How long a device works, by its own clock.
#pragma once

#include <functional>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Seconds between the begin and the end of what `work` gives to the stream. Errors: its own, and the device's.
Expected<double> seconds_of(Stream stream, const std::function<Status()>& work);
/// Bytes from one place of the device's memory to another, in the stream.
Status copy_within(void* to, const void* from, std::size_t bytes, Stream stream);
/// "NVIDIA H100 PCIe", or that it is emulated.
std::string device_name();

}  // namespace kvantage::gpu
