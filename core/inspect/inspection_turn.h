// Turns of work for viewers between requests, outside the time of serving, and the memory that they may use.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

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

/// What follows a turn.
enum class TurnOutcome {
  next_turn,        // also after an interrupted one
  awaits_requests,  // no space beside them: free all memory, and begin again once one of them has ended
  failed            // by the status of the turn
};
TurnOutcome outcome_of(const InspectionTurn& turn, const RequestsNow& requests);

/// Blocks of the pool that are left beside what requests have reserved, and placement and profiling may use.
std::size_t blocks_beside_serving(const EngineServices& services, const RequestsNow& requests);
/// no_space where `blocks` are more than that: "WHAT needs SIZE of KV blocks besides those for serving, but there are
/// SIZE; ADVICE".
Status check_room(const EngineServices& services, const RequestsNow& requests, std::size_t blocks,
                  const std::string& what, const std::string& advice);

}  // namespace kvantage::inline inspection
