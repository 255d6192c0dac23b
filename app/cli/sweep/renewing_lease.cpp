#include "app/cli/sweep/renewing_lease.h"

#include <chrono>
#include <utility>

namespace kvantage::cli {

RenewingLease::RenewingLease(double seconds, std::function<void()> renew, std::function<void()> release)
    : renew_(std::move(renew)), release_(std::move(release)), thread_([this, seconds] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) {
          lock.unlock();
          renew_();
          lock.lock();
        }
      }) {}

RenewingLease::~RenewingLease() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (release_) release_();
}

}  // namespace kvantage::cli
