#include "core/runtime/event_bus.h"

#include <utility>

namespace kvantage::inline runtime {

void EventBus::publish(EventPayload payload) {
  // All request metrics pass here, so simulated times can never be published as measured.
  if (auto* finished = std::get_if<events::RequestFinished>(&payload); finished != nullptr && clock_.is_virtual())
    finished->record.provenance = Provenance::simulated;
  const Event event{++sequence_, clock_.utc_ns(), clock_.monotonic_ns(), std::move(payload)};
  for (EventSink* sink : sinks_) sink->publish(event);
}

}  // namespace kvantage::inline runtime
