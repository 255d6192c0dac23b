// Guards libtorch calls on a device: converts exceptions, and provides streams and events if the device has them.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "gpu/kernels/device.h"
#include "gpu/model/transfer_meter.h"

namespace kvantage::gpu {

/// Runs `body`; converts libtorch's exceptions to an Error. no_space: a device or host out of memory.
Status device_guarded(const std::function<Status()>& body);

/// fp32 numbers from a device; empty for an undefined tensor. Waits for them.
std::vector<float> in_host_memory(const at::Tensor& numbers);

/// The compute and the copy stream of a device. If a device has no streams (the CPU), both are the calling thread.
class DeviceStreams {
 public:
  explicit DeviceStreams(at::Device device);

  at::Device device() const { return device_; }
  /// Runs `body` with libtorch's work in the compute stream. Errors: its own, and those of device_guarded().
  Status compute(const std::function<Status()>& body) const;
  /// For c10::OptionalStreamGuard: during its lifetime, libtorch's work goes into the stream.
  const std::optional<c10::Stream>& computing() const { return compute_; }
  const std::optional<c10::Stream>& copying() const { return copy_; }
  /// The streams for launches of our kernels.
  Stream compute_handle() const;
  Stream copy_handle() const;
  /// Later copies wait for all earlier work in the compute stream.
  void copies_wait() const;
  void synchronize() const;
  /// For copies of rows.
  TransferMeter& meter() const { return *meter_; }

 private:
  at::Device device_;
  std::optional<c10::Stream> compute_, copy_;
  std::unique_ptr<TransferMeter> meter_ = std::make_unique<TransferMeter>();
};

/// Releases libtorch's cached device memory on destruction: the cache is per stream, and the next model has its own
/// streams.
class MemoryGivenBack {
 public:
  explicit MemoryGivenBack(at::Device device) : device_(device) {}
  ~MemoryGivenBack();
  MemoryGivenBack(const MemoryGivenBack&) = delete;
  MemoryGivenBack& operator=(const MemoryGivenBack&) = delete;

 private:
  at::Device device_;
};

/// A position in the copy stream; empty without streams.
class CopyMark {
 public:
  void record(const DeviceStreams& streams);
  /// Later compute waits for it.
  void compute_waits(const DeviceStreams& streams) const;
  /// Blocks the thread.
  void wait() const;

 private:
  std::optional<c10::Event> event_;
};

}  // namespace kvantage::gpu
