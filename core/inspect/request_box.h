// The newest request of viewers to the engine, and what the engine says of its work on it. Thread-safe and
// non-blocking.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kvantage::inline inspection {

template <class Request>
class RequestBox {
 public:
  struct Asked {
    std::uint64_t ticket = 0;
    Request request;
  };
  /// Changes since the last call.
  struct News {
    bool dropped = false;        // no viewer is left
    std::optional<Asked> asked;  // newer than `dropped`
  };

  /// Replaces an older request. Returns its ticket, 1 and up.
  std::uint64_t ask(const Request& request) {
    const std::lock_guard lock(mutex_);
    news_ = {.dropped = false, .asked = Asked{++ticket_, request}};
    return ticket_;
  }
  void drop() {
    const std::lock_guard lock(mutex_);
    news_ = {.dropped = true, .asked = std::nullopt};
  }
  bool has_news() const {
    const std::lock_guard lock(mutex_);
    return news_.dropped || news_.asked;
  }
  News take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  /// A description of the work on the newest request; empty: none.
  std::string work() const {
    const std::lock_guard lock(mutex_);
    return work_;
  }

 protected:
  mutable std::mutex mutex_;  // of everything here and in derived classes
  std::uint64_t ticket_ = 0;
  std::string work_;

 private:
  News news_;
};

}  // namespace kvantage::inline inspection
