// The copies of one piece of an entry: one per run of blocks that it covers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/device/copy_meter.h"
#include "gpu/device/device_pool.h"

namespace kvantage::gpu {

class PieceCopies {
 public:
  /// Starts copies of `source` to the bytes [offset, offset + source.size()) of an entry in `runs`; io from the device.
  static Expected<PieceCopies> in(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                  std::span<const std::byte> source);
  /// The reverse direction.
  static Expected<PieceCopies> out(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                   std::span<std::byte> target);

  bool over() const;
  /// Waits for all of them; `meter`, if any, records their times.
  Status wait(CopyMeter* meter);

 private:
  struct Part {
    std::unique_ptr<DeviceCopy> copy;
    std::uint64_t bytes = 0;
  };
  PieceCopies(CopyDirection direction, bool pinned) : direction_(direction), pinned_(pinned) {}

  CopyDirection direction_;
  bool pinned_;
  std::vector<Part> parts_;
};

}  // namespace kvantage::gpu
