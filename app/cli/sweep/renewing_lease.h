// A claim that a thread of its own renews.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "app/cli/sweep/sweep_queue.h"

namespace kvantage::cli {

class RenewingLease final : public SweepLease {
 public:
  /// Calls `renew` on that thread every `seconds`, and `release`, where there is one, at its end.
  RenewingLease(double seconds, std::function<void()> renew, std::function<void()> release = {});
  ~RenewingLease() override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::function<void()> renew_, release_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kvantage::cli
