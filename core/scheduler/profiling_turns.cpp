#include "core/scheduler/profiling_turns.h"

#include <algorithm>

namespace kvantage::inline scheduler {

bool ProfilingTurns::leave_time() const {
  return batch_.has_free_place() &&
         std::ranges::none_of(batch_.requests(), [](const ServedRequest& request) { return request.held_up; });
}

bool ProfilingTurns::one_could_begin() const {
  return arrivals_.rate() > 0 && (arrivals_.is_due() || arrivals_.has_put_back()) && batch_.has_free_place();
}

void ProfilingTurns::profile_step_begins() {
  for (ServedRequest& request : batch_.requests())
    (request.task->needs() == RequestTask::Need::bytes ? request.waited_beside_profiling : request.held_up) = true;
}

void ProfilingTurns::profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) {
  began_ns_ = began_ns;
  ended_ns_ = ended_ns;
}

}  // namespace kvantage::inline scheduler
