// Device streams, events, and pinned host memory for asynchronous copies. In the emulation everything runs
// synchronously.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// An owned event.
class DeviceEvent {
 public:
  static Expected<DeviceEvent> create();
  DeviceEvent(DeviceEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)), seconds_(other.seconds_) {}
  DeviceEvent& operator=(DeviceEvent&& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(seconds_, other.seconds_);
    return *this;
  }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  ~DeviceEvent();

  /// Records the current end of the stream; reusable.
  Status record(Stream stream);
  /// Makes `stream` wait for the event; no effect if it was never recorded.
  Status hold(Stream stream) const;
  /// Blocks until the event is complete.
  Status wait() const;
  /// Seconds by the device's clock since `earlier`; both must be complete.
  Expected<double> seconds_since(const DeviceEvent& earlier) const;

 private:
  DeviceEvent() = default;
  void* event_ = nullptr;
  double seconds_ = 0;  // for the emulation
};

/// An owned stream, separate from the default one. The destructor waits for its work.
class DeviceStream {
 public:
  static Expected<DeviceStream> create();
  DeviceStream(DeviceStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  DeviceStream& operator=(DeviceStream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream();
  Stream get() const { return stream_; }

 private:
  DeviceStream() = default;
  Stream stream_ = nullptr;
};

/// Host memory for direct access by the device.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  /// no_space if the system denies it.
  static Expected<PinnedBytes> allocate(std::size_t bytes);
  PinnedBytes(PinnedBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBytes& operator=(PinnedBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes();
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies asynchronously in the stream; the pinned bytes must not change until it is complete.
Status copy_in_later(void* device, std::span<const std::byte> bytes, Stream stream);

}  // namespace kvantage::gpu
