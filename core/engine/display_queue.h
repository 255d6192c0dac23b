// Events on their way to a window. What only shows a state (streamed text, occupancy, progress) is merged with its
// predecessor of the same kind while nobody looks; everything else is kept, so a slow window loses nothing.
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
