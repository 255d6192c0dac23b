// Accumulates copy times. Shared by an accelerator and the stores in its memory; a model on a device has its own.
// Thread-safe.
#pragma once

#include <mutex>

#include "core/ports/device_gauges.h"

namespace kvantage::gpu {

enum class CopyDirection { to_device, from_device };

class CopyMeter {
 public:
  /// Shorter copies measure launch overhead rather than the rate.
  static constexpr std::uint64_t peak_copy_bytes = std::uint64_t{1} << 20;

  /// `seconds` on the device, `waited_seconds` of them without overlapping work. `pinned`: the copy may raise the peak.
  void add(CopyDirection direction, std::uint64_t bytes, double seconds, double waited_seconds, bool pinned) {
    const std::lock_guard lock(mutex_);
    CopyGauge& gauge = of(direction);
    ++gauge.copies;
    gauge.bytes += bytes;
    gauge.seconds += seconds;
    gauge.waited_seconds += std::min(waited_seconds, seconds);
    if (pinned && bytes >= peak_copy_bytes && seconds > 0) raise(gauge, static_cast<double>(bytes) / seconds);
  }
  /// Adds time waited for copies that were added without it.
  void add_waiting(CopyDirection direction, double seconds) {
    const std::lock_guard lock(mutex_);
    of(direction).waited_seconds += seconds;
  }
  void raise_peak(CopyDirection direction, double bytes_per_second) {
    const std::lock_guard lock(mutex_);
    raise(of(direction), bytes_per_second);
  }
  CopyGauge gauge(CopyDirection direction) const {
    const std::lock_guard lock(mutex_);
    return direction == CopyDirection::to_device ? to_device_ : from_device_;
  }
  /// Fills the copy fields of `gauges`.
  void fill(DeviceGauges& gauges) const {
    const std::lock_guard lock(mutex_);
    gauges.to_device = to_device_;
    gauges.from_device = from_device_;
  }

 private:
  CopyGauge& of(CopyDirection direction) { return direction == CopyDirection::to_device ? to_device_ : from_device_; }
  static void raise(CopyGauge& gauge, double bytes_per_second) {
    gauge.peak_bytes_per_second = std::max(gauge.peak_bytes_per_second, bytes_per_second);
  }

  mutable std::mutex mutex_;
  CopyGauge to_device_, from_device_;
};

}  // namespace kvantage::gpu
