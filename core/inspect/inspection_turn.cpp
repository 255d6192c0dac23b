#include "core/inspect/inspection_turn.h"

#include "core/base/units.h"

namespace kvantage::inline inspection {
namespace {

constexpr double turn_seconds = 0.05;  // while no request runs
constexpr double turn_beside_requests_seconds = 0.01;

/// Placement and profiling work on the original of a context and on a form of it.
std::size_t blocks_of_serving(const EngineServices& services, const RequestsNow& requests) {
  const Catalog& catalog = services.catalog;
  return requests.reserved_blocks + 2 * services.runtime.blocks_for(catalog.details(catalog.longest()).tokens.size());
}

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

TurnOutcome outcome_of(const InspectionTurn& turn, const RequestsNow& requests) {
  if (turn.status || turn.status.error().code == ErrorCode::cancelled) return TurnOutcome::next_turn;
  return turn.status.error().code == ErrorCode::no_space && requests.any ? TurnOutcome::awaits_requests
                                                                         : TurnOutcome::failed;
}

std::size_t blocks_beside_serving(const EngineServices& services, const RequestsNow& requests) {
  const std::size_t all = services.runtime.pool->capacity_blocks(), serving = blocks_of_serving(services, requests);
  return all > serving ? all - serving : 0;
}

Status check_room(const EngineServices& services, const RequestsNow& requests, std::size_t blocks,
                  const std::string& what, const std::string& advice) {
  const BlockPool& pool = *services.runtime.pool;
  const std::size_t taken = blocks_of_serving(services, requests) + blocks;
  if (taken <= pool.capacity_blocks()) return {};
  return fail(ErrorCode::no_space, what + " needs " + format_bytes(taken * pool.block_bytes()) +
                                       " of KV blocks besides those for serving, but there are " +
                                       format_bytes(pool.capacity_blocks() * pool.block_bytes()) + "; " + advice);
}

}  // namespace kvantage::inline inspection
