#include "core/quality/racing_plan.h"

#include <utility>

namespace kvantage::inline quality {

RacingPlan make_racing_plan(const Snapshot& live, const MeasuredGrid& grid, const RacingRules& rules,
                            const std::optional<RaceState>& start) {
  GridBeliefs beliefs(grid);
  ProfileSchedule schedule = racing_schedule(live, grid, beliefs, rules, start);
  return {std::move(beliefs), form_shares(live, grid), std::move(schedule)};
}

RacingPlanAside::RacingPlanAside(Executor& executor, Snapshot live, std::shared_ptr<const MeasuredGrid> grid,
                                 const RacingRules& rules, const std::optional<RaceState>& start)
    : live_(std::move(live)), grid_(std::move(grid)), rules_(rules), start_(start) {
  thread_ = executor.start("profile plan", ThreadPriority::forecasts, [this] {
    made_ = std::make_unique<RacingPlan>(make_racing_plan(live_, *grid_, rules_, start_));
    ended_.store(true, std::memory_order_release);
  });
}

std::unique_ptr<RacingPlan> RacingPlanAside::take() {
  thread_.reset();
  return std::move(made_);
}

}  // namespace kvantage::inline quality
