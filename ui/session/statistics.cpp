#include "ui/session/statistics.h"

#include <span>
#include <utility>

namespace kvantage {

void GrowingMean::add(double value, const std::string& group) {
  if (n_ == 0) only_group_ = group;
  if (groups_.empty() && group == only_group_) {
    values_.push_back(value);
  } else {
    if (groups_.empty()) groups_[only_group_] = {sum_, values_.size()};
    values_ = {};
    GroupSum& of = groups_[group];
    of.sum += value;
    ++of.n;
  }
  sum_ += value;
  ++n_;
}

std::vector<GroupSum> GrowingMean::sums() const {
  std::vector<GroupSum> sums;
  sums.reserve(values_.size() + groups_.size());
  for (const double value : values_) sums.push_back({value, 1});
  for (const auto& [name, of] : groups_) sums.push_back(of);
  return sums;
}

GrowingMean::Reach GrowingMean::reach_of(const std::vector<GroupSum>& sums) {
  Reach reach;
  double sum = 0;
  for (const GroupSum& of : sums) {
    sum += of.sum;
    reach.n += of.n;
  }
  const std::optional<Interval> interval = bootstrap_interval(std::span(sums));
  if (!interval) return reach;
  const double mean = sum / static_cast<double>(reach.n);
  reach.below = mean - interval->low;
  reach.above = interval->high - mean;
  reach.known = true;
  return reach;
}

MeasuredMean GrowingMean::measured() const {
  if (reach_.n != n_) reach_ = reach_of(sums());
  return with(reach_);
}

MeasuredMean GrowingMean::with(const Reach& reach) const {
  return {.mean = mean(),
          .low = mean() - reach.below,
          .high = mean() + reach.above,
          .n = n_,
          .has_interval = reach.known,
          .groups = groups()};
}

}  // namespace kvantage
