// What the tier needs of a device: room in its memory, copies that go on by themselves, and host memory pinned for
// them. cuda_memory.cpp has it of CUDA; tests have one in host memory, so that everything above is tested without a
// GPU. Thread-safe. Errors carry the device's own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/ports/accelerator.h"

namespace kvantage::gpu {

using DeviceAddress = std::uint64_t;

/// A copy under way. Both its sides are its own until it is over: destroying it waits.
class DeviceCopy {
 public:
  virtual ~DeviceCopy() = default;
  virtual bool over() = 0;
  /// Waits until it is over; seconds that it took on the device, without what it stood behind. io: the device failed.
  virtual Expected<double> wait() = 0;
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual AcceleratorInfo info() const = 0;
  /// Bytes of it that nobody has.
  virtual std::uint64_t free_bytes() const = 0;
  /// Aligned to 256 bytes at least; no_space where it has not that much in one piece.
  virtual Expected<DeviceAddress> allocate(std::size_t bytes) = 0;
  virtual void release(DeviceAddress address) = 0;
  /// Copies of one direction are carried out in the order in which they were asked for, beside those of the other.
  /// Memory that is not pinned() may make this wait.
  virtual Expected<std::unique_ptr<DeviceCopy>> copy_in(DeviceAddress target, std::span<const std::byte> source) = 0;
  virtual Expected<std::unique_ptr<DeviceCopy>> copy_out(std::span<std::byte> target, DeviceAddress source) = 0;
  /// As Accelerator::pin.
  virtual std::shared_ptr<void> pin(std::span<std::byte> memory) = 0;
  virtual bool pinned(std::span<const std::byte> memory) const = 0;
};

}  // namespace kvantage::gpu
