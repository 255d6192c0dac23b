// What a KvCache knows of its rows on a device: that they are there, and how much memory they take.
#pragma once

#include <cstddef>

namespace kvantage::inline kv {

/// Keys and values of one cache in a device's memory, in the device's own layout (gpu/model/device_cache.h). Destroying
/// it frees them.
class DeviceRows {
 public:
  DeviceRows() = default;
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;
  virtual ~DeviceRows() = default;
  /// Bytes of the device's memory that it holds alone or with copies of it.
  virtual std::size_t held_bytes() const = 0;
};

}  // namespace kvantage::inline kv
