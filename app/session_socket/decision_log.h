// The latest decisions of a session, for programs that ask now and then (session_requests.h).
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "core/base/json.h"
#include "core/ports/events.h"

namespace kvantage::inline session_socket {

/// Keeps placements, plans and changed settings, and where runs begin and end. Any thread.
class DecisionLog final : public EventSink {
 public:
  static constexpr std::size_t max_kept = 4096, max_page = 1000;

  void publish(const Event& event) override;

  struct Page {
    std::vector<Json> events;  // as journals have them
    std::uint64_t next = 0;    // what to ask for next
    bool lost = false;         // some since the number asked for are no longer kept
  };
  /// The events from the one of this number on, counted from 0 since the program began; at most max_page.
  Page since(std::uint64_t number) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Event> kept_;
  std::uint64_t first_ = 0;  // number of kept_.front()
};

}  // namespace kvantage::inline session_socket
