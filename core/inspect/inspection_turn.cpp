#include "core/inspect/inspection_turn.h"

namespace kvantage::inline inspection {
namespace {

constexpr double turn_seconds = 0.05;  // while no request runs
constexpr double turn_beside_requests_seconds = 0.01;

}  // namespace

InspectionTurn inspection_turn(const EngineServices& services, ServingClock& serving_clock, const RequestsNow& requests,
                               const std::function<Status()>& step, const std::function<bool()>& more) {
  const double limit = requests.any ? turn_beside_requests_seconds : turn_seconds;
  const Clock& clock = services.clock;
  const std::int64_t start = clock.monotonic_ns();
  InspectionTurn turn;
  do {
    turn.status = step();
    turn.seconds = static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
  } while (turn.status && turn.seconds < limit && more() && !services.interrupted());
  serving_clock.leave_out(clock.monotonic_ns() - start);
  return turn;
}

}  // namespace kvantage::inline inspection
