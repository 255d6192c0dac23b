// Counts the requests of a run that is being served, for whoever shows its progress or acts in its middle.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "core/ports/events.h"

namespace kvantage::cli {

class RequestCounter : public EventSink {
 public:
  /// Number of upcoming requests, and under which name they are shown.
  void expect_requests(std::uint64_t requests, std::string what) {
    requests_ = requests;
    finished_ = 0;
    what_ = std::move(what);
  }
  /// Requests finished since expect_requests(). Any thread.
  std::uint64_t finished() const { return finished_; }

 protected:
  /// For publish(): whether the event is the end of a request, which is then counted.
  bool count(const Event& event) {
    if (!std::holds_alternative<events::RequestFinished>(event.payload)) return false;
    ++finished_;
    return true;
  }
  std::uint64_t requests() const { return requests_; }
  const std::string& what() const { return what_; }

 private:
  std::uint64_t requests_ = 0;
  std::atomic<std::uint64_t> finished_ = 0;
  std::string what_;
};

}  // namespace kvantage::cli
