#include <atomic>
#include <chrono>
#include <iterator>

#include "core/base/clock.h"
#include "core/ports/storage_tier.h"

namespace kvantage {

Ticket next_ticket() {
  static std::atomic<Ticket> last{0};
  return ++last;
}

void CompletionQueue::push(Completion completion) {
  // Notified under the lock: whoever takes the last completion may destroy the queue right away.
  completion.pushed_ns = SystemClock().monotonic_ns();
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(completion));
  ready_.notify_one();
}

std::vector<Completion> CompletionQueue::poll() {
  const std::lock_guard lock(mutex_);
  std::vector<Completion> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
  items_.clear();
  return taken;
}

std::vector<Completion> CompletionQueue::wait(double seconds) {
  {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !items_.empty(); });
  }
  return poll();
}

}  // namespace kvantage
