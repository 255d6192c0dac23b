// Device access for callers of kernels, without CUDA types: memory, copies, streams, availability. In the emulation the
// device is this process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace kvantage::gpu {

/// A cudaStream_t; null: the default one.
using Stream = void*;

/// Empty if kernels can run; else the reason, in one line.
std::string why_no_device();
/// "NVIDIA H100 80GB HBM3" for the device with this index; empty if unavailable. "emulated" in the emulation.
std::string device_name(int device);
/// Names its memory: where two names are equal, an address of one is valid for the other. Empty if unavailable.
std::string device_memory_id(int device);
/// Call after a launch: internal with CUDA's own text if it was rejected.
Status launched(const char* kernel);
/// usage if a grid dimension is too small for the number of heads.
inline Status check_grid_heads(int heads, const char* kernel) {
  if (heads >= 0 && heads <= 65535) return {};
  return fail(ErrorCode::usage, std::string(kernel) + ": heads must be at most 65,535");
}
/// Waits for all work in the stream. Errors: those of its kernels.
Status synchronize(Stream stream = nullptr);

/// Owned device memory.
class DeviceBytes {
 public:
  DeviceBytes() = default;
  /// no_space if the device has not that much.
  static Expected<DeviceBytes> allocate(std::size_t bytes);
  DeviceBytes(DeviceBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBytes& operator=(DeviceBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Copies everything, blocking. internal with CUDA's own text.
  Status copy_in(std::span<const std::byte> bytes);
  Status copy_out(std::span<std::byte> bytes) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same for typed elements.
template <class T>
class DeviceArray {
 public:
  static Expected<DeviceArray> of(std::span<const T> numbers) {
    KV_ASSIGN(auto bytes, DeviceBytes::allocate(numbers.size_bytes()));
    KV_TRY(bytes.copy_in(std::as_bytes(numbers)));
    DeviceArray array;
    array.bytes_ = std::move(bytes);
    array.count_ = numbers.size();
    return array;
  }
  static Expected<DeviceArray> of(const std::vector<T>& numbers) { return of(std::span<const T>(numbers)); }
  static Expected<DeviceArray> zeros(std::size_t count) { return of(std::vector<T>(count)); }
  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  std::size_t size() const { return count_; }
  Expected<std::vector<T>> numbers() const {
    std::vector<T> all(count_);
    KV_TRY(bytes_.copy_out(std::as_writable_bytes(std::span(all))));
    return all;
  }

 private:
  DeviceBytes bytes_;
  std::size_t count_ = 0;
};

}  // namespace kvantage::gpu
