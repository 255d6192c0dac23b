// Turns of work for viewers between requests, outside the time of serving.
#pragma once

#include <cstddef>
#include <functional>

#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

/// Resources that requests currently use.
struct RequestsNow {
  bool any = false;
  bool await_bytes = false;         // a request waits for a device
  std::size_t reserved_blocks = 0;  // of the block pool
};

struct InspectionTurn {
  Status status;  // of the last step
  double seconds = 0;
};

/// One turn of at most about 50 ms, or 10 ms next to requests: repeats `step` while it succeeds and `more()` holds, and
/// until a command waits. The serving clock leaves the turn out, so a request's wait for a device would count as no
/// time: no turn then.
InspectionTurn inspection_turn(const EngineServices& services, ServingClock& serving_clock, const RequestsNow& requests,
                               const std::function<Status()>& step, const std::function<bool()>& more);

}  // namespace kvantage::inline inspection
