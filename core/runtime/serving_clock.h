// The clock of serving. It stops while answers are scored, so that metrics of all running requests exclude that time.
#pragma once

#include "core/base/clock.h"

namespace kvantage::inline runtime {

class ServingClock final : public Clock {
 public:
  explicit ServingClock(const Clock& clock) : clock_(clock) {}
  std::int64_t monotonic_ns() const override { return clock_.monotonic_ns() - stood_still_ns_; }
  std::int64_t utc_ns() const override { return clock_.utc_ns(); }
  bool is_virtual() const override { return clock_.is_virtual(); }
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, double seconds,
            const std::function<bool()>& over) const override {
    return clock_.wait(lock, changed, seconds, over);
  }
  /// Excludes the last `nanoseconds`.
  void leave_out(std::int64_t nanoseconds) { stood_still_ns_ += nanoseconds; }

 private:
  const Clock& clock_;
  std::int64_t stood_still_ns_ = 0;
};

/// Adds its lifetime to `seconds`.
class TimedWork {
 public:
  TimedWork(const Clock& clock, double& seconds) : clock_(clock), seconds_(seconds), start_ns_(clock.monotonic_ns()) {}
  ~TimedWork() { seconds_ += static_cast<double>(clock_.monotonic_ns() - start_ns_) * 1e-9; }
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

 private:
  const Clock& clock_;
  double& seconds_;
  std::int64_t start_ns_;
};

}  // namespace kvantage::inline runtime
