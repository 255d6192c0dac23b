#include "ui/models/statistics.h"

#include <algorithm>
#include <optional>

#include "core/base/statistics.h"

namespace kvantage {

void GrowingMean::add(double value, const std::string& group) {
  values_.push_back(value);
  groups_.push_back(group);
  sum_ += value;
}

const MeasuredMean& GrowingMean::measured() const {
  // 2,000 resamples cost milliseconds: a large sample need not be resampled for every further percent of values.
  const std::uint64_t due = resampled_n_ < 100 ? resampled_n_ + 1 : resampled_n_ + resampled_n_ / 50;
  const bool stale = n() >= due;
  const double shift = mean() - cached_.mean;
  cached_.mean = mean();
  cached_.n = n();
  if (!stale) {
    cached_.low += shift;
    cached_.high += shift;
    return cached_;
  }
  resampled_n_ = n();
  const bool one_group =
      std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) { return group == groups_.front(); });
  const std::optional<Interval> interval =
      one_group ? bootstrap_interval(values_) : bootstrap_interval(values_, groups_);
  cached_.has_interval = interval.has_value();
  cached_.low = interval ? interval->low : cached_.mean;
  cached_.high = interval ? interval->high : cached_.mean;
  return cached_;
}

}  // namespace kvantage
