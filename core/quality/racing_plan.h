// A plan of the race: what is believed of all cells, and the schedule that follows. It takes time in proportion to all
// cells, so that the engine's thread has it made beside it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/executor.h"
#include "core/quality/schedule/racing_schedule.h"

namespace kvantage::inline quality {

struct RacingPlan {
  GridBeliefs beliefs;
  std::vector<FormShare> shares;
  ProfileSchedule schedule;
};

/// live: its contexts are those of the grid, in order. start: as racing_schedule() takes it. Depends on nothing else.
RacingPlan make_racing_plan(const Snapshot& live, const MeasuredGrid& grid, const RacingRules& rules,
                            const std::optional<RaceState>& start);

/// One plan that is being made on a thread of its own.
class RacingPlanAside {
 public:
  /// Nobody may change the grid meanwhile. executor: must outlive this.
  RacingPlanAside(Executor& executor, Snapshot live, std::shared_ptr<const MeasuredGrid> grid, const RacingRules& rules,
                  const std::optional<RaceState>& start);
  RacingPlanAside(const RacingPlanAside&) = delete;
  RacingPlanAside& operator=(const RacingPlanAside&) = delete;

  bool has_ended() const { return ended_.load(std::memory_order_acquire); }
  const std::shared_ptr<const MeasuredGrid>& grid() const { return grid_; }
  /// Waits for its end. Once.
  std::unique_ptr<RacingPlan> take();

 private:
  const Snapshot live_;
  const std::shared_ptr<const MeasuredGrid> grid_;
  const RacingRules rules_;
  const std::optional<RaceState> start_;
  std::unique_ptr<RacingPlan> made_;
  std::atomic<bool> ended_ = false;
  std::unique_ptr<Executor::Thread> thread_;  // last: ends before what it uses
};

}  // namespace kvantage::inline quality
