// Copy metrics between host and device memory, for the window, reports and the command line: of a tier in device
// memory, and of a model that is computed on the device. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace kvantage::inline ports {

/// Copies in one direction, since the device was opened.
struct CopyGauge {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;                // on the device's copy engine, queueing excluded
  double waited_seconds = 0;         // part of it during which the consumer only waited for the bytes
  double peak_bytes_per_second = 0;  // best of large copies of pinned memory, timed at opening; raised by any faster
                                     // copy

  double bytes_per_second() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
  /// Achieved rate as a share of the peak, [0, 1]; 0: nothing copied yet.
  double peak_share() const {
    return peak_bytes_per_second > 0 ? std::min(1.0, bytes_per_second() / peak_bytes_per_second) : 0;
  }
  /// Share of the copy time during which nobody waited, [0, 1]; 0: nothing copied yet.
  double hidden_share() const { return seconds > 0 ? std::clamp(1 - waited_seconds / seconds, 0.0, 1.0) : 0; }
  /// The difference to an earlier reading of the same copies; the peak stays.
  CopyGauge since(const CopyGauge& before) const {
    return {copies - before.copies, bytes - before.bytes, seconds - before.seconds,
            waited_seconds - before.waited_seconds, peak_bytes_per_second};
  }

  bool operator==(const CopyGauge&) const = default;
};

struct DeviceGauges {
  std::uint64_t memory_bytes = 0;  // of the device
  std::uint64_t free_bytes = 0;    // total free memory
  std::uint64_t held_bytes = 0;    // reserved by the pool
  std::uint64_t used_bytes = 0;    // blocks of entries in the pool, rounding included
  CopyGauge to_device, from_device;

  /// Share of the copy time overlapped with work of the tier's threads (verifying and moving earlier bytes), [0, 1].
  double overlap_share() const {
    const double seconds = to_device.seconds + from_device.seconds;
    return seconds > 0 ? std::clamp(1 - (to_device.waited_seconds + from_device.waited_seconds) / seconds, 0.0, 1.0)
                       : 0;
  }
};

/// Metrics of a device that computes a model: the memory of its KV caches, and copies of their rows since it was
/// opened. Bytes count whole blocks, as transferred.
struct ModelDeviceGauges {
  std::string device;                  // "NVIDIA H100 80GB HBM3"
  std::uint64_t cache_held_bytes = 0;  // by caches now; shared blocks count once
  std::uint64_t cache_total_bytes = 0;
  CopyGauge uploaded;    // waited: the device was idle until a layer's rows arrived
  CopyGauge downloaded;  // rows computed there; all of it is waited for

  /// Current memory, copies since `before`.
  ModelDeviceGauges since(const ModelDeviceGauges& before) const {
    return {device, cache_held_bytes, cache_total_bytes, uploaded.since(before.uploaded),
            downloaded.since(before.downloaded)};
  }

  bool operator==(const ModelDeviceGauges&) const = default;
};

}  // namespace kvantage::inline ports
