// The copies of one piece of an entry: as many as the runs of blocks that it lies in.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/device/copy_meter.h"
#include "gpu/device/device_pool.h"

namespace kvantage::gpu {

class PieceCopies {
 public:
  /// Begins copies of `source` to the bytes [offset, offset + source.size()) of an entry in `runs`; io as the device
  /// says.
  static Expected<PieceCopies> in(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                  std::span<const std::byte> source);
  /// The other way round.
  static Expected<PieceCopies> out(DeviceMemory& memory, const DeviceRuns& runs, std::uint64_t offset,
                                   std::span<std::byte> target);

  bool over() const;
  /// Until all are over; `meter`, if any, hears what they took.
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
