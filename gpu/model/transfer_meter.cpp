#include "gpu/model/transfer_meter.h"

#include <ATen/ATen.h>

#include <exception>

namespace kvantage::gpu {

StreamSpan::StreamSpan(const std::optional<c10::Stream>& stream) : stream_(stream) {
  if (stream_) {
    before_.emplace(stream_->device_type(), c10::EventFlag::BACKEND_DEFAULT);  // with timing
    before_->record(*stream_);
  }
  began_ = ended_ = std::chrono::steady_clock::now();
}

void StreamSpan::end() {
  if (stream_) {
    after_.emplace(stream_->device_type(), c10::EventFlag::BACKEND_DEFAULT);
    after_->record(*stream_);
  }
  ended_ = std::chrono::steady_clock::now();
}

double StreamSpan::seconds() const {
  if (before_ && after_) return before_->elapsedTime(*after_) * 1e-3;
  return std::chrono::duration<double>(ended_ - began_).count();
}

void TransferMeter::add(Timed timed) {
  const std::lock_guard lock(mutex_);
  in_flight_.push_back(std::move(timed));
  collect();
}

void TransferMeter::collect() {
  try {
    for (; !in_flight_.empty() && in_flight_.front().span.over(); in_flight_.pop_front()) {
      const Timed& timed = in_flight_.front();
      const double seconds = timed.span.seconds();
      const bool stood_still = !timed.span.of_stream() || timed.direction == CopyDirection::from_device;
      if (timed.bytes > 0)
        meter_.add(timed.direction, timed.bytes, seconds, stood_still ? seconds : 0, true);
      else
        meter_.add_waiting(timed.direction, seconds);
    }
  } catch (const std::exception&) {  // a lost device reports no times; the compute path reports the error
    in_flight_.clear();
  }
}

CopyGauge TransferMeter::gauge(CopyDirection direction) {
  {
    const std::lock_guard lock(mutex_);
    collect();
  }
  return meter_.gauge(direction);
}

void TransferMeter::time_peaks(at::Device device, const std::optional<c10::Stream>& stream) {
  constexpr std::int64_t bytes = std::int64_t{16} << 20;
  constexpr int rounds = 4;  // the first one wakes up the link
  at::Tensor host = at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(device.is_cuda()));
  at::Tensor there = at::empty({bytes}, at::TensorOptions(at::kByte).device(device));
  host.fill_(1);
  for (int round = 0; round < rounds; ++round)
    for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::from_device}) {
      StreamSpan span(stream);
      if (direction == CopyDirection::to_device)
        there.copy_(host, true);
      else
        host.copy_(there, true);
      span.end();
      if (stream) stream->synchronize();
      if (const double seconds = span.seconds(); seconds > 0)
        meter_.raise_peak(direction, static_cast<double>(bytes) / seconds);
    }
}

}  // namespace kvantage::gpu
