// Wakes the thread that watches a server, which sleeps between its attempts.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/clock.h"

namespace kvantage::inline tiers {

class WakeSignal {
 public:
  explicit WakeSignal(const Clock& clock) : clock_(clock) {}

  /// Waits up to `seconds`, less when woken, also before this call; true when woken.
  bool wait(double seconds) {
    std::unique_lock lock(mutex_);
    (void)clock_.wait(lock, wakes_, seconds, [this] { return woken_; });
    return std::exchange(woken_, false);
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    wakes_.notify_all();
  }

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool woken_ = false;
};

}  // namespace kvantage::inline tiers
