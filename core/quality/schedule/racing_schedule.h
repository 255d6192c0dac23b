// Which cells of a grid are measured next: anytime profiling. Everything follows from what is measured, the snapshot
// and the rules, so that a session that begins again from its database resumes where it was stopped.
//
// 1. Coarse: every context is asked a question on its coarse forms (coarse_forms.h). The points that it lacks are
//    pooled (grid_beliefs.h).
// 2. Racing: the context with the greatest stake (plan_stakes.h) is next, on the form that is chosen and on the forms
//    whose stake is at least half of its greatest. Each is asked as many questions again as it was asked before, up to
//    all; of two that compete, the one with fewer answers. A form without answers between two measured fractions is
//    reached by bisection: the middle of the fractions between them is asked first.
// It ends where all measuring that is left could raise the utility of the plan by no more than `good_enough` of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/quality/schedule/plan_stakes.h"
#include "core/quality/schedule/race_outlook.h"

namespace kvantage::inline schedule {

struct RacingRules {
  int first_questions = 1;        // of a cell
  std::size_t cells_a_batch = 2;  // in the race
  double good_enough = 0.01;      // share of the plan's utility
  AlphaRange alphas = {};
};

enum class ProfileStage : std::uint8_t { coarse, racing, done };

/// Profile questions [first, first + count) of a context, on one form.
struct CellRequest {
  std::size_t form = 0;
  int first = 0, count = 0;
  bool operator==(const CellRequest&) const = default;
};

/// Cells of one context that are measured together: it is prefilled and scored once for them.
struct ProfileBatch {
  std::size_t context = 0;
  ProfileStage stage = ProfileStage::coarse;
  std::vector<CellRequest> cells;
  int answers() const;
};

struct ScheduleState {
  ProfileStage stage = ProfileStage::coarse;
  std::size_t answers = 0, full_answers = 0;  // asked so far, and of the full grid
  std::size_t coarse_left = 0;                // answers until the coarse curves are complete
  std::size_t race_left = 0;                  // the same, and of the cells in the race: at most so many follow
  std::size_t answers_left = 0;               // estimated: until the coarse curves are complete, then until it is good
                                              // enough, or nothing is left (race_outlook.h)
  std::size_t dropped = 0;                    // cells out of the race
  double may_rise = 1;      // more measuring could raise the utility of the plan by this share of it (95 %)
  double half_width = 0.5;  // median over cells of half of the 95 % interval
  bool is_good_enough = false;
};

struct ProfileSchedule {
  std::vector<ProfileBatch> batches;  // at most one of each context, in order; empty: done
  ScheduleState state;
  std::optional<RaceState> start;  // of the race; nothing before, and where it is good enough
};

/// live: its contexts are those of the grid, in order. start: of a schedule of earlier answers under the same alpha and
/// budgets; finding it again takes as long as the rest.
ProfileSchedule racing_schedule(const Snapshot& live, const MeasuredGrid& grid, const GridBeliefs& beliefs,
                                const RacingRules& rules, const std::optional<RaceState>& start = {});

}  // namespace kvantage::inline schedule
