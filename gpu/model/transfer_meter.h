// Measures copies of a cache's rows and the waits for them: by events in the streams if the device has streams, else by
// the clock.
#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/device/copy_meter.h"

namespace kvantage::gpu {

/// A time span of a stream, from construction to end(); without a stream, of the calling thread. Not during stream
/// capture.
class StreamSpan {
 public:
  explicit StreamSpan(const std::optional<c10::Stream>& stream);
  void end();
  /// After end(): whether the stream has passed it. Never waits.
  bool over() const { return !after_ || after_->query(); }
  /// Once it is complete.
  double seconds() const;
  bool of_stream() const { return stream_.has_value(); }

 private:
  std::optional<c10::Stream> stream_;
  std::optional<c10::Event> before_, after_;
  std::chrono::steady_clock::time_point began_, ended_;
};

/// Thread-safe. Spans are collected when complete; nothing here waits for a device except time_peaks().
class TransferMeter {
 public:
  /// `span`, ended: the copy. Without streams the thread that wants the rows copies them itself, and so waits for all
  /// of it.
  void copied(CopyDirection direction, std::uint64_t bytes, StreamSpan span) {
    add({direction, bytes, std::move(span)});
  }
  /// `span`, ended: compute was stalled by copies to the device.
  void waited(StreamSpan span) { add({CopyDirection::to_device, 0, std::move(span)}); }
  /// The best of four copies of 16 MiB of page-locked memory in both directions, in the stream: 128 MiB of traffic.
  void time_peaks(at::Device device, const std::optional<c10::Stream>& stream);

  /// Totals of completed spans.
  CopyGauge gauge(CopyDirection direction);

 private:
  struct Timed {
    CopyDirection direction;
    std::uint64_t bytes;  // 0: a wait
    StreamSpan span;
  };
  void add(Timed timed);
  void collect();

  std::mutex mutex_;
  std::deque<Timed> in_flight_;  // oldest first
  CopyMeter meter_;
};

}  // namespace kvantage::gpu
