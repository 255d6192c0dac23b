#include "ui/models/statistics.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>

#include "core/base/statistics.h"

namespace kvantage {

void GrowingMean::add(double value, const std::string& group) {
  values_.push_back(value);
  groups_.push_back(group);
  sum_ += value;
}

const MeasuredMean& GrowingMean::measured() const {
  // 2,000 resamples cost milliseconds: a large sample is resampled at every further percent or two of values, and where it
  // is depends on their number alone, not on when somebody looked.
  const std::size_t step = n() < 100 ? 1 : std::bit_floor(values_.size() / 50);
  const std::size_t resampled = values_.size() - values_.size() % step;
  if (resampled != resampled_n_) {
    resampled_n_ = resampled;
    const std::span values(values_.data(), resampled);
    const std::span groups(groups_.data(), resampled);
    const bool one_group = std::ranges::all_of(groups, [&](const auto& group) { return group == groups.front(); });
    const std::optional<Interval> interval = one_group ? bootstrap_interval(values) : bootstrap_interval(values, groups);
    const double mean = resampled > 0 ? std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(resampled) : 0;
    cached_.has_interval = interval.has_value();
    below_ = interval ? mean - interval->low : 0;
    above_ = interval ? interval->high - mean : 0;
  }
  cached_.mean = mean();
  cached_.n = n();
  cached_.low = cached_.mean - below_;
  cached_.high = cached_.mean + above_;
  return cached_;
}

}  // namespace kvantage
