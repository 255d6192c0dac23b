// Mailboxes between viewers and the engine: the newest request and the newest result of what is computed between
// requests. Thread-safe and non-blocking.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/ports/asker.h"
#include "core/ports/inspector.h"

namespace kvantage::inline inspection {

/// Result has `ticket`, `request`, `complete` and `error`.
template <class Request, class Result>
class Mailbox {
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
  /// Answers a request immediately with `error` when nobody can compute it.
  std::uint64_t refuse(const Request& request, const std::string& error) {
    auto refused = std::make_shared<Result>();
    refused->request = request;
    refused->complete = true;
    refused->error = error;
    const std::lock_guard lock(mutex_);
    refused->ticket = ++ticket_;
    result_ = std::move(refused);
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

  /// A null result keeps the current one.
  void publish(std::string work, std::shared_ptr<const Result> result) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    if (result != nullptr) result_ = std::move(result);
  }
  void publish_idle() { publish({}, nullptr); }
  std::shared_ptr<const Result> result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  /// A description of the work on the newest request; empty: none.
  std::string work() const {
    const std::lock_guard lock(mutex_);
    return work_;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t ticket_ = 0;
  News news_;
  std::shared_ptr<const Result> result_;
  std::string work_;
};

using InspectionMailbox = Mailbox<KeepMapRequest, KeepMapResult>;
using AskMailbox = Mailbox<AskRequest, AskResult>;

/// Those of one engine.
struct ViewerMailboxes {
  InspectionMailbox keep_maps;
  AskMailbox asks;
};

}  // namespace kvantage::inline inspection
