// Progress of the engine's long-running work.
#pragma once

#include <string>

#include "core/runtime/event_bus.h"

namespace kvantage::inline runtime {

class ProgressReporter {
 public:
  explicit ProgressReporter(EventBus& events) : events_(events) {}
  /// One task at a time: a new one ends the previous one, complete or not.
  void report(const std::string& what, std::uint64_t done, std::uint64_t total) {
    if (!present_.empty() && present_ != what) events_.publish(events::Progress{present_, total_, total_});
    present_ = done == total ? std::string() : what;
    total_ = total;
    events_.publish(events::Progress{what, done, total});
  }

 private:
  EventBus& events_;
  std::string present_;      // reported last and not ended yet
  std::uint64_t total_ = 0;  // of what was reported last
};

}  // namespace kvantage::inline runtime
