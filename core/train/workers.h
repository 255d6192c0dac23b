// A few threads for the whole training: allocator caches and oneDNN's primitives stay warm on them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kvantage::inline training {

class Workers {
 public:
  /// `prepare` runs first on each thread.
  Workers(std::size_t count, const std::function<void()>& prepare);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls task(0) ... task(tasks - 1), each once, on the threads, and waits for all.
  void run(std::size_t tasks, const std::function<void(std::size_t)>& task);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t tasks_ = 0;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kvantage::inline training
