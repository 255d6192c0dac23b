// Events for a window. While nobody drains the queue, state events (streamed text, occupancy, progress) are merged with
// their predecessor of the same kind; all others are kept, so a slow window loses nothing.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "core/ports/events.h"

namespace kvantage::inline engine {

class DisplayQueue final : public EventSink {
 public:
  void publish(const Event& event) override;
  std::vector<Event> drain(std::size_t limit);

 private:
  std::mutex mutex_;
  std::deque<Event> events_;
};

}  // namespace kvantage::inline engine
