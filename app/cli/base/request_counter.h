// Counts the requests of a run that is being served, for whoever shows its progress or acts in its middle. A run may be
// one of several that a command serves: then progress is that of all of them.
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
  /// Of the runs of one command.
  struct AllRuns {
    std::uint64_t before = 0;  // requests of those that are over
    std::uint64_t total = 0;   // requests of all
  };

  /// Number of upcoming requests, and under which name they are shown.
  void expect_requests(std::uint64_t requests, std::string what) {
    expect_requests(AllRuns{0, requests}, std::move(what));
  }
  /// The same of the next run of several.
  void expect_requests(const AllRuns& all, std::string what) {
    all_ = all;
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
  /// Of all runs of the command.
  std::uint64_t done() const { return all_.before + finished_; }
  std::uint64_t total() const { return all_.total; }
  const std::string& what() const { return what_; }

 private:
  AllRuns all_;
  std::atomic<std::uint64_t> finished_ = 0;
  std::string what_;
};

}  // namespace kvantage::cli
