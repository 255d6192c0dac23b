// What copies between host memory and a device's memory come to, for the window, reports and the command line: of a
// tier there, and of a model that is computed there. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace kvantage {

/// Copies in one direction, since the device was opened.
struct CopyGauge {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;                // on the device's copy engine, without what a copy stood behind
  double waited_seconds = 0;         // of these, in which whoever wanted the bytes did nothing but wait for them
  double peak_bytes_per_second = 0;  // best of large copies of pinned memory, timed at opening; raised by a faster one

  double bytes_per_second() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
  /// Rate achieved as a share of the peak, [0, 1]; 0: nothing copied yet.
  double peak_share() const {
    return peak_bytes_per_second > 0 ? std::min(1.0, bytes_per_second() / peak_bytes_per_second) : 0;
  }
  /// Share of the copies' time in which nobody waited for them, [0, 1]; 0: nothing copied yet.
  double hidden_share() const { return seconds > 0 ? std::clamp(1 - waited_seconds / seconds, 0.0, 1.0) : 0; }
  /// What came since `before` of the same copies; the peak stays.
  CopyGauge since(const CopyGauge& before) const {
    return {copies - before.copies, bytes - before.bytes, seconds - before.seconds,
            waited_seconds - before.waited_seconds, peak_bytes_per_second};
  }

  bool operator==(const CopyGauge&) const = default;
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
    return seconds > 0 ? std::clamp(1 - (to_device.waited_seconds + from_device.waited_seconds) / seconds, 0.0, 1.0)
                       : 0;
  }
};

/// Of a device that computes a model: the memory of its KV caches, and copies of their rows since it was opened. Bytes
/// are in whole blocks, as they cross.
struct ModelDeviceGauges {
  std::string device;                  // "NVIDIA H100 80GB HBM3"
  std::uint64_t cache_held_bytes = 0;  // by caches now; what several of them share counts once
  std::uint64_t cache_total_bytes = 0;
  CopyGauge uploaded;    // of it waited: the device had nothing to compute before a layer's rows were there
  CopyGauge downloaded;  // what was computed there; all of it is waited for

  /// Memory now, copies since `before`.
  ModelDeviceGauges since(const ModelDeviceGauges& before) const {
    return {device, cache_held_bytes, cache_total_bytes, uploaded.since(before.uploaded),
            downloaded.since(before.downloaded)};
  }

  bool operator==(const ModelDeviceGauges&) const = default;
};

}  // namespace kvantage
