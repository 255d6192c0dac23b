// One checksum for up to 8 MiB of an entry: XXH3-64 of the checksums of its leaves of 4 KiB, so that host and device
// can both compute it. A shorter last leaf counts as if zeros followed it.
#pragma once

#include "gpu/device/device_pool.h"

namespace kvantage::gpu {

std::uint64_t leaf_sum_of(std::span<const std::byte> bytes);
/// Of the bytes [offset, offset + bytes) of an entry in `runs`, by the device; offset: a multiple of the pool's blocks.
/// io from the device.
Expected<std::uint64_t> leaf_sum_on_device(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                           std::uint64_t bytes);

}  // namespace kvantage::gpu
