#include "core/runtime/event_bus.h"

#include <utility>

namespace kvantage::inline runtime {

void EventBus::publish(EventPayload payload) {
  // The one door that every figure of a request leaves by: none that was timed in virtual time passes for measured.
  if (auto* finished = std::get_if<events::RequestFinished>(&payload); finished != nullptr && clock_.is_virtual())
    finished->record.provenance = Provenance::simulated;
  const Event event{++sequence_, clock_.utc_ns(), clock_.monotonic_ns(), std::move(payload)};
  for (EventSink* sink : sinks_) sink->publish(event);
}

}  // namespace kvantage::inline runtime
