#include <atomic>
#include <iterator>

#include "core/ports/storage_tier.h"

namespace kvantage {

Ticket next_ticket() {
  static std::atomic<Ticket> last{0};
  return ++last;
}

void CompletionQueue::push(Completion completion) {
  // Notified under the lock: whoever takes the last completion may destroy the queue right away.
  completion.pushed_ns = clock_.monotonic_ns();
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(completion));
  ready_.notify_one();
}

// Through the clock as well: in virtual time a loop that polls lets the others work meanwhile.
std::vector<Completion> CompletionQueue::poll() { return wait(0); }

std::vector<Completion> CompletionQueue::wait(double seconds) {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, ready_, seconds, [this] { return !items_.empty(); });
  std::vector<Completion> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
  items_.clear();
  return taken;
}

}  // namespace kvantage
