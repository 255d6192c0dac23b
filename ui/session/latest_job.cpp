#include "ui/session/latest_job.h"

#include <utility>

namespace kvantage {

LatestJob::LatestJob(std::optional<ThreadPriority> rank)
    : thread_([this, rank] {
        if (rank) rank_this_thread(*rank);
        work();
      }) {}

LatestJob::~LatestJob() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void LatestJob::start(Job job) {
  const std::lock_guard lock(mutex_);
  ++latest_;
  pending_ = std::move(job);
  busy_ = true;
  wake_.notify_all();
}

void LatestJob::cancel() {
  const std::lock_guard lock(mutex_);
  ++latest_;
  pending_ = nullptr;
  if (!running_) busy_ = false;
}

void LatestJob::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || pending_; });
    if (stopping_) return;
    const Job job = std::exchange(pending_, nullptr);
    const std::uint64_t number = latest_;
    running_ = true;
    lock.unlock();
    job([this, number] { return stopping_ || latest_ != number; });
    lock.lock();
    running_ = false;
    busy_ = static_cast<bool>(pending_);
  }
}

}  // namespace kvantage
