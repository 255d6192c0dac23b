#include "core/engine/event_bus.h"

#include <utility>

namespace kvantage {

void EventBus::publish(EventPayload payload) {
  const Event event{++sequence_, clock_.utc_ns(), clock_.monotonic_ns(), std::move(payload)};
  for (EventSink* sink : sinks_) sink->publish(event);
}

}  // namespace kvantage
