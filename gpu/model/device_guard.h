// Calls of libtorch on a device: its exceptions end here, and streams and events where the device has them.
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

/// Runs `body`; what libtorch throws becomes an Error. no_space: a device or host out of memory.
Status device_guarded(const std::function<Status()>& body);

/// fp32 numbers of a device; none where there is no tensor. Waits for them.
std::vector<float> in_host_memory(const at::Tensor& numbers);

/// Two streams of a device: one that computes and one that copies beside it. Where a device has no streams (the
/// processor), both are the program.
class DeviceStreams {
 public:
  explicit DeviceStreams(at::Device device);

  at::Device device() const { return device_; }
  /// Runs `body` with all that libtorch is given going into the computing stream. Errors: its own, and those of
  /// device_guarded().
  Status compute(const std::function<Status()>& body) const;
  /// For c10::OptionalStreamGuard: while that lives, what libtorch is given goes into the stream.
  const std::optional<c10::Stream>& computing() const { return compute_; }
  const std::optional<c10::Stream>& copying() const { return copy_; }
  /// The computing stream for launches of our kernels.
  Stream compute_handle() const;
  /// What is copied from now on waits for what was given to the computing stream until now.
  void copies_wait() const;
  void synchronize() const;
  /// Of the copies of rows.
  TransferMeter& meter() const { return *meter_; }

 private:
  at::Device device_;
  std::optional<c10::Stream> compute_, copy_;
  std::unique_ptr<TransferMeter> meter_ = std::make_unique<TransferMeter>();
};

/// Gives a device what libtorch keeps of its memory for later, when this object goes: blocks are kept by stream, and
/// the next model has streams of its own.
class MemoryGivenBack {
 public:
  explicit MemoryGivenBack(at::Device device) : device_(device) {}
  ~MemoryGivenBack();
  MemoryGivenBack(const MemoryGivenBack&) = delete;
  MemoryGivenBack& operator=(const MemoryGivenBack&) = delete;

 private:
  at::Device device_;
};

/// A place in the copying stream; nothing where there are no streams.
class CopyMark {
 public:
  void record(const DeviceStreams& streams);
  /// What is computed from now on waits for it.
  void compute_waits(const DeviceStreams& streams) const;
  /// The thread waits.
  void wait() const;

 private:
  std::optional<c10::Event> event_;
};

}  // namespace kvantage::gpu
