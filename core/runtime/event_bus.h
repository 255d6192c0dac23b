// The engine's events as one gap-free, timestamped sequence for all sinks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"
#include "core/ports/events.h"

namespace kvantage::inline runtime {

/// Numbers and timestamps events and passes each to every sink, in order. Engine thread only.
class EventBus {
 public:
  EventBus(const Clock& clock, std::vector<EventSink*> sinks) : clock_(clock), sinks_(std::move(sinks)) {}
  void publish(EventPayload payload);
  /// Events of a run are numbered from 1.
  void restart_sequence() { sequence_ = 0; }

 private:
  const Clock& clock_;
  std::vector<EventSink*> sinks_;
  std::uint64_t sequence_ = 0;
};

}  // namespace kvantage::inline runtime
