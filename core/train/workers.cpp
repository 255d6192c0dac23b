#include "core/train/workers.h"

namespace kvantage::inline training {

Workers::Workers(std::size_t count, const std::function<void()>& prepare) {
  for (std::size_t i = 0; i < count; ++i)
    threads_.emplace_back([this, prepare] {
      prepare();
      serve();
    });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  tasks_ = tasks;
  next_ = 0;
  finished_ = 0;
  wake_.notify_all();
  done_.wait(lock, [this] { return finished_ == tasks_; });
  task_ = nullptr;
  tasks_ = 0;
}

void Workers::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || next_ < tasks_; });
    if (stop_) return;
    const std::size_t mine = next_++;
    const auto* task = task_;
    lock.unlock();
    (*task)(mine);
    lock.lock();
    if (++finished_ == tasks_) done_.notify_all();
  }
}

}  // namespace kvantage::inline training
