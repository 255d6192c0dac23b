#include "core/load/split_queue.h"

namespace kvantage::inline loading {

template <class Change>
auto SplitQueue::change(Change&& what) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  changed_.notify_all();
  return what();
}

std::optional<int> SplitQueue::claim_front() {
  const std::lock_guard lock(mutex_);
  const auto piece = controller_.claim_front(clock_.seconds());
  if (piece && controller_.all_claimed()) {  // wakes the loader, which has nothing left to claim
    ++changes_;
    changed_.notify_all();
  }
  return piece;
}

std::optional<int> SplitQueue::claim_back() {
  const std::lock_guard lock(mutex_);
  return controller_.claim_back(clock_.seconds());
}

void SplitQueue::computed() {
  change([this] { controller_.computed(clock_.seconds()); });
}

void SplitQueue::loaded() {
  change([this] { controller_.loaded(clock_.seconds()); });
}

void SplitQueue::give_back(int piece) {
  change([&] { controller_.give_back(piece); });
}

void SplitQueue::end_loading() {
  change([this] { loading_ended_ = true; });
}

bool SplitQueue::all_claimed() const {
  const std::lock_guard lock(mutex_);
  return controller_.all_claimed();
}

int SplitQueue::front() const {
  const std::lock_guard lock(mutex_);
  return controller_.front();
}

bool SplitQueue::loading_ended() const {
  const std::lock_guard lock(mutex_);
  return loading_ended_;
}

bool SplitQueue::over() const {
  const std::lock_guard lock(mutex_);
  return controller_.all_claimed() && loading_ended_;
}

std::uint64_t SplitQueue::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void SplitQueue::wait(std::uint64_t seen, double seconds) const {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, changed_, seconds, [&] { return changes_ != seen; });
}

}  // namespace kvantage::inline loading
