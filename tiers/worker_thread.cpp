#include "tiers/worker_thread.h"

#include <limits>

namespace kvantage::inline tiers {

WorkerThread::WorkerThread(Executor& executor, const std::string& name, std::function<void()> periodic_task,
                           double periodic_task_seconds)
    : clock_(executor.clock()),
      periodic_task_(std::move(periodic_task)),
      periodic_task_seconds_(periodic_task_ ? periodic_task_seconds : 0),
      thread_(executor.start(name, ThreadPriority::transfers, [this] { loop(); })) {}

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
  thread_.reset();
}

void WorkerThread::loop() {
  const bool has_periodic_task = periodic_task_seconds_ > 0;
  double periodic_task_due = clock_.seconds() + periodic_task_seconds_;
  std::unique_lock lock(mutex_);
  while (true) {
    const auto has_work = [this] { return stopping_ || !tasks_.empty(); };
    clock_.wait(lock, wake_,
                has_periodic_task ? periodic_task_due - clock_.seconds() : std::numeric_limits<double>::infinity(),
                has_work);
    if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = {};  // releases its captures here, outside the lock
      lock.lock();
    } else if (stopping_) {
      return;
    }
    if (has_periodic_task && !stopping_ && clock_.seconds() >= periodic_task_due) {
      lock.unlock();
      periodic_task_();
      lock.lock();
      periodic_task_due = clock_.seconds() + periodic_task_seconds_;
    }
  }
}

}  // namespace kvantage::inline tiers
