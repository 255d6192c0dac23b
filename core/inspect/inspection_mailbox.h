// Mailboxes between viewers and the engine: the newest request and the newest result of what is computed between
// requests. Thread-safe and non-blocking.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/inspect/ask_mailbox.h"
#include "core/inspect/request_box.h"
#include "core/ports/inspector.h"

namespace kvantage::inline inspection {

class InspectionMailbox : public RequestBox<KeepMapRequest> {
 public:
  /// Answers a request immediately with `error` when nobody can compute it.
  std::uint64_t refuse(const KeepMapRequest& request, const std::string& error) {
    auto refused = std::make_shared<KeepMapResult>();
    refused->request = request;
    refused->complete = true;
    refused->error = error;
    const std::lock_guard lock(mutex_);
    refused->ticket = ++ticket_;
    result_ = std::move(refused);
    return ticket_;
  }

  /// A null result keeps the current one.
  void publish(std::string work, std::shared_ptr<const KeepMapResult> result) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    if (result != nullptr) result_ = std::move(result);
  }
  void publish_idle() { publish({}, nullptr); }
  std::shared_ptr<const KeepMapResult> result() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }

 private:
  std::shared_ptr<const KeepMapResult> result_;
};

/// Those of one engine.
struct ViewerMailboxes {
  InspectionMailbox keep_maps;
  AskMailbox asks;
};

}  // namespace kvantage::inline inspection
