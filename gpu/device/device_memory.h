// The tier's interface to a device: memory allocation, asynchronous copies, and pinned host memory for them.
// cuda_memory.cpp implements it with CUDA; tests implement it in host memory, so that everything above is tested
// without a GPU. Thread-safe. Errors contain the device's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/ports/accelerator.h"
#include "gpu/kernels/leaf_checksums.h"

namespace kvantage::gpu {

using DeviceAddress = std::uint64_t;
enum class HostAccess { reads, writes };

/// A copy in flight. It owns both sides until it is complete: the destructor waits.
class DeviceCopy {
 public:
  virtual ~DeviceCopy() = default;
  virtual bool over() = 0;
  /// Waits for completion; returns its seconds on the device, without queueing. io: the device failed.
  virtual Expected<double> wait() = 0;
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual AcceleratorInfo info() const = 0;
  /// Unallocated bytes.
  virtual std::uint64_t free_bytes() const = 0;
  /// Aligned to at least 256 bytes; no_space if there is not that much in one piece.
  virtual Expected<DeviceAddress> allocate(std::size_t bytes) = 0;
  virtual void release(DeviceAddress address) = 0;
  /// Copies of one direction run in the order of the calls, in parallel to the other direction. Unpinned memory may
  /// make this block.
  virtual Expected<std::unique_ptr<DeviceCopy>> copy_in(DeviceAddress target, std::span<const std::byte> source) = 0;
  virtual Expected<std::unique_ptr<DeviceCopy>> copy_out(std::span<std::byte> target, DeviceAddress source) = 0;
  /// XXH3-64 of each 4 KiB (gpu/kernels/leaf_checksums.h) from `address` on, computed on the device: only the sums
  /// cross the bus. The last one is of last_bytes bytes and zeros behind them. Waits. io: the device failed.
  virtual Status leaf_checksums(DeviceAddress address, std::span<std::uint64_t> sums, std::uint64_t last_bytes) = 0;
  Status leaf_checksums(DeviceAddress address, std::span<std::uint64_t> sums) {
    return leaf_checksums(address, sums, leaf_bytes);
  }
  /// How many of these cache blocks have another checksum than theirs, counted on the device: only the count crosses
  /// the bus. Waits. io: the device failed.
  virtual Expected<std::uint64_t> changed_blocks(std::span<const BlockChecksums> blocks) = 0;
  /// As Accelerator::pin.
  virtual std::shared_ptr<void> pin(std::span<std::byte> memory) = 0;
  virtual bool pinned(std::span<const std::byte> memory) const = 0;
  /// Called before the host accesses memory that copies use, so that a recording of a device's copies has the host's
  /// accesses, too. A device ignores it.
  virtual void note_host_access(std::span<const std::byte> /*memory*/, HostAccess /*access*/) {}
};

}  // namespace kvantage::gpu
