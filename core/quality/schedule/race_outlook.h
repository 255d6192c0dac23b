// How many answers the race still takes, from how far the bound on what more measuring could add has fallen since the
// coarse curves were complete. The state at that moment is rebuilt from the stored answers, so that a session that
// resumes has the estimate of one that was never stopped.
#pragma once

#include <cstddef>

#include "core/quality/schedule/plan_stakes.h"

namespace kvantage::inline schedule {

struct RaceState {
  std::size_t answers = 0;
  double may_rise = 0;  // PlanStakes
};

/// The state with the coarse answers alone, the first `first_questions` of each: where the race began.
RaceState race_start(const Snapshot& live, const MeasuredGrid& grid, int first_questions, const AlphaRange& alphas);

/// Answers until the bound is at most `good_enough`. It is taken to fall as a power of the number of answers: the power
/// seen since `start`, and 1.5, with the weight of half a natural logarithm, where little was measured since. Without
/// end (SIZE_MAX) for 0.
std::size_t answers_until(double good_enough, const RaceState& start, const RaceState& now);

}  // namespace kvantage::inline schedule
