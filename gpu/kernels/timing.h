// Measures device time by the device's own clock.
#pragma once

#include <functional>
#include <vector>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Seconds of the work that `work` submits to the stream. Errors: its own, and the device's.
Expected<double> seconds_of(Stream stream, const std::function<Status()>& work);
/// The same for work submitted several times back to back, seconds of each: while one runs, the host submits the next,
/// so that its own time is not measured.
Expected<std::vector<double>> seconds_of_each(Stream stream, int times, const std::function<Status()>& work);
/// Copies bytes within the device's memory, in the stream.
Status copy_within(void* to, const void* from, std::size_t bytes, Stream stream);
/// "NVIDIA H100 PCIe", or a note that it is emulated.
std::string device_name();

}  // namespace kvantage::gpu
