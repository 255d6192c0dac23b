// One thread for long computations of which only the latest matters: a new one cancels the running one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "core/base/thread_priority.h"

namespace kvantage {

class LatestJob {
 public:
  using GivenUp = std::function<bool()>;
  using Job = std::function<void(const GivenUp& given_up)>;

  /// The thread has this rank; without one that of who makes it.
  explicit LatestJob(std::optional<ThreadPriority> rank = std::nullopt);
  /// Waits until the running job has noticed that it is canceled.
  ~LatestJob();
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  /// Runs `job` on the thread as soon as the running one has ended. The job polls `given_up`.
  void start(Job job);
  /// Cancels the running and the waiting job.
  void cancel();
  bool busy() const { return busy_; }

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  Job pending_;
  bool running_ = false;
  std::atomic<std::uint64_t> latest_{0};
  std::atomic<bool> stopping_{false}, busy_{false};
  std::thread thread_;
};

}  // namespace kvantage
