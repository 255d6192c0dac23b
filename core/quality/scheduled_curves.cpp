#include "core/quality/scheduled_curves.h"

#include <algorithm>
#include <utility>

#include "core/text/quality.h"

namespace kvantage::inline quality {
namespace {

void summarize(ProfileCell& cell) {
  const MeanWithInterval quality = mean_with_interval(cell.scores);
  cell.point.quality = quality.mean;
  cell.point.quality_low = quality.low;
  cell.point.quality_high = quality.high;
  cell.point.n = static_cast<int>(quality.n);
}

/// The context's cells with the answers to newly measured ones behind those that they had.
std::vector<ProfileCell> with_answers(std::vector<ProfileCell> cells, std::vector<ProfileCell> measured) {
  // Those of another processor would be left out at the next start, when there are some of this one.
  for (ProfileCell& cell : cells) cell.context = measured.front().context;
  for (ProfileCell& cell : measured) {
    if (cell.scores.empty()) continue;
    const auto known = std::ranges::find_if(cells, [&](const ProfileCell& other) {
      return other.point.method == cell.point.method && other.point.removed_fraction == cell.point.removed_fraction;
    });
    if (known == cells.end()) {
      summarize(cell);
      cells.push_back(std::move(cell));
      continue;
    }
    known->scores.insert(known->scores.end(), cell.scores.begin(), cell.scores.end());
    summarize(*known);
  }
  return cells;
}

}  // namespace

bool ScheduledCurves::ready(const MayMeasure& may_measure, bool in_run) {
  if (!is_on()) return true;
  planning_ = !schedule_->ready(may_measure, in_run);
  if (schedule_->take_renewed() && in_run) next_ = 0;
  return !planning_;
}

std::size_t ScheduledCurves::take(std::size_t context, std::vector<ProfileCell> measured, double seconds) {
  std::size_t answers = 0;
  for (const ProfileCell& cell : measured) answers += cell.scores.size();
  if (answers == 0) return 0;
  curves_.replace(context, with_answers(curves_.first_cells(context), std::move(measured)));
  schedule_->note(answers, seconds);
  last_measured_ = context;
  return answers;
}

void ScheduledCurves::pool(std::size_t context, bool whole) {
  if (whole || !is_on())
    curves_.pool();
  else
    curves_.pool(context);
}

void ScheduledCurves::catch_up() {
  if (!is_on()) return;
  schedule_->catch_up();
  planning_ = false;
  (void)schedule_->take_renewed();
  next_ = none;
  curves_.use_all();
}

std::optional<std::size_t> ScheduledCurves::renew_points(std::size_t contexts) {
  next_ = curves_.refresh(next_, contexts_a_step);
  if (next_ < contexts) return std::nullopt;
  next_ = none;
  return std::exchange(last_measured_, std::nullopt);
}

}  // namespace kvantage::inline quality
