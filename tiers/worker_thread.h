// A thread that runs tasks in order, and a periodic task.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "core/base/executor.h"

namespace kvantage::inline tiers {

class WorkerThread {
 public:
  /// `name`: at most 15 characters, as shown by top. The periodic task runs about every `periodic_task_seconds` between
  /// tasks; not at all when that is 0.
  explicit WorkerThread(Executor& executor, const std::string& name, std::function<void()> periodic_task = {},
                        double periodic_task_seconds = 0);
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  void post(std::function<void()> task);
  /// Runs everything posted so far, then ends the thread; later posts are dropped.
  void stop();

 private:
  void loop();

  const Clock& clock_;
  std::function<void()> periodic_task_;
  double periodic_task_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline tiers
