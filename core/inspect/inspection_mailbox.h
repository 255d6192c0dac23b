// Mailbox between viewers that inspect a context and the engine: the newest request and the newest result. Thread-safe
// and non-blocking.
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
  /// Changes since the last call.
  struct News {
    bool dropped = false;        // no viewer is left
    std::optional<Asked> asked;  // newer than `dropped`
  };

  /// Replaces an older request. Returns its ticket, 1 and up.
  std::uint64_t ask(const KeepMapRequest& request);
  /// Answers a request immediately with `error` when nobody can compute it.
  std::uint64_t refuse(const KeepMapRequest& request, std::string error);
  void drop();
  bool has_news() const;
  News take();

  /// A null result keeps the current one.
  void publish(std::string work, std::shared_ptr<const KeepMapResult> result);
  void publish_idle() { publish({}, nullptr); }
  std::shared_ptr<const KeepMapResult> result() const;
  /// A description of the work on the newest request; empty: none.
  std::string work() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t ticket_ = 0;
  News news_;
  std::shared_ptr<const KeepMapResult> result_;
  std::string work_;
};

}  // namespace kvantage::inline inspection
