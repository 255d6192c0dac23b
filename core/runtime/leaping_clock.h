// The clock of an engine: the machine's, ahead of it by the idle time that was left out instead of waited for.
#pragma once

#include <atomic>
#include <cmath>

#include "core/base/clock.h"

namespace kvantage::inline runtime {

/// Waits take as long as on the clock behind it. Thread-safe: threads of tiers stamp completions by it.
class LeapingClock final : public Clock {
 public:
  /// clock: must outlive this.
  explicit LeapingClock(const Clock& clock) : clock_(clock) {}
  std::int64_t monotonic_ns() const override {
    return clock_.monotonic_ns() + ahead_ns_.load(std::memory_order_relaxed);
  }
  std::int64_t utc_ns() const override { return clock_.utc_ns(); }
  bool is_virtual() const override { return clock_.is_virtual(); }
  bool wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, double seconds,
            const std::function<bool()>& over) const override {
    return clock_.wait(lock, changed, seconds, over);
  }
  /// Moves on by so much at once, rounded up to nanoseconds. Not positive: stays where it is.
  void leap(double seconds) {
    if (seconds > 0) ahead_ns_ += static_cast<std::int64_t>(std::ceil(seconds * 1e9));
  }

 private:
  const Clock& clock_;
  std::atomic<std::int64_t> ahead_ns_{0};
};

}  // namespace kvantage::inline runtime
