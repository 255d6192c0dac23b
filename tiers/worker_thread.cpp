#include "tiers/worker_thread.h"

#include <pthread.h>

#include <chrono>

#include "core/base/thread_rank.h"

namespace kvantage {

WorkerThread::WorkerThread(const std::string& name, std::function<void()> chore, double chore_seconds)
    : chore_(std::move(chore)), chore_seconds_(chore_ ? chore_seconds : 0), thread_([this] { loop(); }) {
  ::pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

WorkerThread::~WorkerThread() { stop(); }

void WorkerThread::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  wake_.notify_one();
}

void WorkerThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void WorkerThread::loop() {
  rank_this_thread(ThreadRank::transfers);
  using SteadyClock = std::chrono::steady_clock;
  const auto pause = std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(chore_seconds_));
  auto chore_due = SteadyClock::now() + pause;
  std::unique_lock lock(mutex_);
  while (true) {
    const auto has_work = [this] { return stopping_ || !tasks_.empty(); };
    if (chore_seconds_ > 0)
      wake_.wait_until(lock, chore_due, has_work);
    else
      wake_.wait(lock, has_work);
    if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = {};  // what it holds is let go here, outside the lock
      lock.lock();
    } else if (stopping_) {
      return;
    }
    if (chore_seconds_ > 0 && !stopping_ && SteadyClock::now() >= chore_due) {
      lock.unlock();
      chore_();
      lock.lock();
      chore_due = SteadyClock::now() + pause;
    }
  }
}

}  // namespace kvantage
