// What the engine is at, for whoever waits for it.
#pragma once

#include <string>

#include "core/runtime/event_bus.h"

namespace kvantage::inline runtime {

class ProgressReporter {
 public:
  explicit ProgressReporter(EventBus& events) : events_(events) {}
  /// One thing at a time is being done: the next one ends the one before, however far that got.
  void report(const std::string& what, std::uint64_t done, std::uint64_t total) {
    if (!present_.empty() && present_ != what) events_.publish(events::Progress{present_, 1, 1});
    present_ = done == total ? std::string() : what;
    events_.publish(events::Progress{what, done, total});
  }

 private:
  EventBus& events_;
  std::string present_;  // reported last, and not ended
};

}  // namespace kvantage::inline runtime
