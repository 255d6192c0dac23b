// Streams of work on a device, events between them, and host memory that copies go to and from by themselves. In the
// emulation all is done at once.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// A mark in a stream. Its own to destroy.
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

  /// Stands where the stream has come to; again and again.
  Status record(Stream stream);
  /// `stream` goes no further until what the event stands for is done; one never recorded holds nothing up.
  Status hold(Stream stream) const;
  /// Until what it stands for is done, here.
  Status wait() const;
  /// Seconds by the device's clock since `earlier`, both done.
  Expected<double> seconds_since(const DeviceEvent& earlier) const;

 private:
  DeviceEvent() = default;
  void* event_ = nullptr;
  double seconds_ = 0;  // of the emulation
};

/// A stream beside the default one. Its own to destroy.
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

/// Host memory that the device reads and writes without the processor.
class PinnedBytes {
 public:
  PinnedBytes() = default;
  /// no_space where the system gives not as much.
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

/// In the stream; the bytes, pinned, stay as they are until it is done.
Status copy_in_later(void* device, std::span<const std::byte> bytes, Stream stream);

}  // namespace kvantage::gpu
