// Questions to the engine and their answers. A result grows token by token: the engine publishes what is new, and a
// reader takes what it lacks. Thread-safe and non-blocking.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/inspect/request_box.h"
#include "core/ports/asker.h"

namespace kvantage::inline inspection {

class AskMailbox : public RequestBox<AskRequest> {
 public:
  /// Answers a request immediately with `error` when nobody can compute it.
  std::uint64_t refuse(const AskRequest& request, const std::string& error) {
    AskResult refused;
    refused.request = request;
    refused.complete = true;
    refused.error = error;
    const std::lock_guard lock(mutex_);
    refused.ticket = ++ticket_;
    add(std::move(refused), true);
    return ticket_;
  }

  void publish_work(std::string work) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
  }
  void publish_idle() { publish_work({}); }
  /// begins: `change` is a whole result, the first of its request or of a repeated attempt; else its answers continue
  /// those of the newest result. Its revision is set here.
  void publish(std::string work, AskResult change, bool begins) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    add(std::move(change), begins);
  }

  /// As Asker::asked_since().
  std::optional<AskResult> since(const AskSeen& seen) const {
    const std::lock_guard lock(mutex_);
    return result_ ? change_since(*result_, seen) : std::nullopt;
  }
  /// A copy of the whole; null before the first.
  std::shared_ptr<const AskResult> result() const {
    const std::lock_guard lock(mutex_);
    return result_ ? std::make_shared<const AskResult>(*result_) : nullptr;
  }

 private:
  void add(AskResult change, bool begins) {
    change.revision = ++revision_;
    change.begun = begins || !result_ ? revision_ : result_->begun;
    if (result_)
      add_change(*result_, std::move(change));
    else
      result_ = std::move(change);
  }

  std::uint64_t revision_ = 0;
  std::optional<AskResult> result_;
};

}  // namespace kvantage::inline inspection
