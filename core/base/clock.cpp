#include "core/base/clock.h"

#include <chrono>

namespace kvantage {
namespace {

constexpr double longest_wait_seconds = 1e9;  // wait_for() would overflow beyond this

}  // namespace

bool Clock::wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, double seconds,
                 const std::function<bool()>& over) const {
  if (seconds <= 0) return over();  // a poll does not yield the core
  if (seconds < longest_wait_seconds) return changed.wait_for(lock, std::chrono::duration<double>(seconds), over);
  changed.wait(lock, over);
  return true;
}

std::int64_t SystemClock::monotonic_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t SystemClock::utc_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace kvantage
