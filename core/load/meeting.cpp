#include "core/load/meeting.h"

namespace kvantage {

template <class Change>
auto Meeting::change(Change&& what) {
  const std::lock_guard lock(mutex_);
  ++changes_;
  changed_.notify_all();
  return what();
}

std::optional<int> Meeting::claim_front() {
  const std::lock_guard lock(mutex_);
  const auto piece = pace_.claim_front(clock_.seconds());
  if (piece && pace_.met()) {  // the loader waits for nothing more
    ++changes_;
    changed_.notify_all();
  }
  return piece;
}

std::optional<int> Meeting::claim_back() {
  const std::lock_guard lock(mutex_);
  return pace_.claim_back(clock_.seconds());
}

void Meeting::computed() {
  change([this] { pace_.computed(clock_.seconds()); });
}

void Meeting::loaded() {
  change([this] { pace_.loaded(clock_.seconds()); });
}

void Meeting::give_back(int piece) {
  change([&] { pace_.give_back(piece); });
}

void Meeting::end_loading() {
  change([this] { loading_ended_ = true; });
}

bool Meeting::met() const {
  const std::lock_guard lock(mutex_);
  return pace_.met();
}

int Meeting::front() const {
  const std::lock_guard lock(mutex_);
  return pace_.front();
}

bool Meeting::loading_ended() const {
  const std::lock_guard lock(mutex_);
  return loading_ended_;
}

bool Meeting::over() const {
  const std::lock_guard lock(mutex_);
  return pace_.met() && loading_ended_;
}

std::uint64_t Meeting::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void Meeting::wait(std::uint64_t seen, double seconds) const {
  std::unique_lock lock(mutex_);
  clock_.wait(lock, changed_, seconds, [&] { return changes_ != seen; });
}

}  // namespace kvantage
