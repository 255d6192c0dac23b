// Curves that are measured cell by cell, as CellSchedule says: what a batch adds to its context's curve, and the pooled
// points of all others, which change with each plan and reach the snapshot in pieces.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "core/quality/profiler_ports.h"

namespace kvantage::inline quality {

class ScheduledCurves {
 public:
  /// Contexts whose points are renewed in one step.
  static constexpr std::size_t contexts_a_step = 64;

  /// schedule: null: whole curves. Both must outlive this.
  ScheduledCurves(MeasuredCurves& curves, CellSchedule* schedule) : curves_(curves), schedule_(schedule) {}

  bool is_on() const { return schedule_ != nullptr && schedule_->is_on(); }
  /// Whether the schedule can say what is next; while it cannot, is_planning(). in_run: plans are made aside, and the
  /// pooled points of all contexts follow each. True where it is off.
  bool ready(const MayMeasure& may_measure, bool in_run);
  bool is_planning() const { return planning_ && is_on(); }

  /// Adds what a batch has measured so far to the context's curve; returns its answers. pool() follows.
  std::size_t take(std::size_t context, std::vector<ProfileCell> measured, double seconds);
  /// whole: candidates changed, too.
  void pool(std::size_t context, bool whole);
  /// Plans at once, and puts all points into the snapshot.
  void catch_up();

  /// Whether there are contexts with pooled points of an earlier plan.
  bool has_old_points() const { return next_ != none && is_on(); }
  /// Renews some of them. At the end, the context that was measured last: policies look at all when they hear of one.
  std::optional<std::size_t> renew_points(std::size_t contexts);

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  MeasuredCurves& curves_;
  CellSchedule* schedule_;
  bool planning_ = false;
  std::size_t next_ = none;  // context to renew; none: all are
  std::optional<std::size_t> last_measured_;
};

}  // namespace kvantage::inline quality
