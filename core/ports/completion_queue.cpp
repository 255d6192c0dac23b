#include <atomic>
#include <iterator>

#include "core/ports/storage_tier.h"

namespace kvantage::inline ports {

Ticket next_ticket() {
  static std::atomic<Ticket> last{0};
  return ++last;
}

void CompletionQueue::push(Completion completion) {
  // Notified under the lock: a caller that takes the last completion may destroy the queue right away.
  completion.pushed_ns = clock_.monotonic_ns();
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(completion));
  ready_.notify_one();
}

// Also through the clock: in virtual time, a polling loop lets the other threads run.
std::vector<Completion> CompletionQueue::poll() { return wait(0); }

std::vector<Completion> CompletionQueue::wait(double seconds) {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, ready_, seconds, [this] { return !items_.empty(); });
  std::vector<Completion> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
  items_.clear();
  return taken;
}

}  // namespace kvantage::inline ports
