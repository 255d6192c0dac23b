#include "ui/session/time_range.h"

#include <algorithm>
#include <cmath>

#include "ui/session/held_end.h"

namespace kvantage {

void TimeRange::set(const std::optional<Part>& part, bool follows) {
  if (part == part_ && follows == follows_) return;
  part_ = part;
  follows_ = follows;
  emit changed();
}

void TimeRange::show(double begin, double end) {
  if (!std::isfinite(begin) || !std::isfinite(end)) return;
  if (end < begin) std::swap(begin, end);
  const double span = std::min(std::max(end - begin, least_span), extent_);
  if (span >= extent_) return show_all();
  begin = std::clamp(begin, 0.0, extent_ - span);
  set(Part{begin, begin + span}, false);
}

void TimeRange::show_all() { set(std::nullopt, true); }

// Room ahead, so that it need not move at once.
std::optional<TimeRange::Part> TimeRange::newest(double width) const {
  const double end = std::max(width, std::min(now_ + room_ahead * width, extent_));
  return Part{end - width, end};
}

void TimeRange::follow_now(bool on) {
  std::optional<Part> part = part_;
  if (!on && !part) part = Part{0, extent_};
  if (on && part) {
    if (part->first <= 0 && part->second >= extent_)
      part.reset();
    else if (now_ < part->first || now_ > part->second)
      part = newest(part->second - part->first);
  }
  set(part, on);
}

void TimeRange::reach(double seconds) {
  if (!(seconds > now_)) return;
  now_ = seconds;
  const double before = extent_;
  if (now_ > extent_) extent_ = held_end(now_, least_extent);
  const bool moves = follows_ && part_ && now_ > part_->second;
  if (moves) part_ = newest(part_->second - part_->first);
  if (moves || extent_ != before) emit changed();
}

void TimeRange::restart(double seconds, double extent) {
  now_ = std::max(0.0, seconds);
  extent_ = extent > 0 ? std::max({extent, now_, least_span}) : held_end(now_, least_extent);
  part_.reset();
  follows_ = true;
  emit changed();
}

}  // namespace kvantage
