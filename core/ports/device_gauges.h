// What copies between host memory and a device's memory come to, for the window and the command line. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kvantage {

/// Copies in one direction, since the device was opened.
struct CopyGauge {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;                // on the device's copy engine, without what a copy stood behind
  double waited_seconds = 0;         // in which a thread of the tier did nothing but wait for one
  double peak_bytes_per_second = 0;  // best of large copies of pinned memory, timed at opening; raised by a faster one

  double bytes_per_second() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
  /// Rate achieved as a share of the peak, [0, 1]; 0: nothing copied yet.
  double peak_share() const { return peak_bytes_per_second > 0 ? std::min(1.0, bytes_per_second() / peak_bytes_per_second) : 0; }
};

struct DeviceGauges {
  std::uint64_t memory_bytes = 0;  // of the device
  std::uint64_t free_bytes = 0;    // of it, for anybody
  std::uint64_t held_bytes = 0;    // taken from it by the pool
  std::uint64_t used_bytes = 0;    // blocks of entries in the pool, rounding included
  CopyGauge to_device, from_device;

  /// Share of the copies' time beside which the tier's threads worked (checked and moved the bytes before), [0, 1].
  double overlap_share() const {
    const double seconds = to_device.seconds + from_device.seconds;
    return seconds > 0 ? std::clamp(1 - (to_device.waited_seconds + from_device.waited_seconds) / seconds, 0.0, 1.0) : 0;
  }
};

}  // namespace kvantage
