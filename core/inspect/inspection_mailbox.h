// Between those who inspect a context and the engine that computes what they ask: the newest request, and the newest
// result. Thread-safe; nothing here waits.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/ports/inspector.h"

namespace kvantage::inline inspection {

class InspectionMailbox {
 public:
  struct Asked {
    std::uint64_t ticket = 0;
    KeepMapRequest request;
  };
  /// What came since the last time.
  struct News {
    bool dropped = false;        // nobody looks any more
    std::optional<Asked> asked;  // newer than `dropped`
  };

  /// Replaces an older request. Gives its ticket, 1 and up.
  std::uint64_t ask(const KeepMapRequest& request);
  /// Answers a request at once with `error`, where nobody is there to compute it.
  std::uint64_t refuse(const KeepMapRequest& request, std::string error);
  void drop();
  bool has_news() const;
  News take();

  /// result: null keeps the one there is.
  void publish(std::string work, std::shared_ptr<const KeepMapResult> result);
  void publish_idle() { publish({}, nullptr); }
  std::shared_ptr<const KeepMapResult> result() const;
  /// What is being done for the newest request, in words; empty: nothing.
  std::string work() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t ticket_ = 0;
  News news_;
  std::shared_ptr<const KeepMapResult> result_;
  std::string work_;
};

}  // namespace kvantage::inline inspection
