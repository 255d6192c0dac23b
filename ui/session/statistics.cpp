#include "ui/session/statistics.h"

#include <span>
#include <utility>

namespace kvantage {

void GrowingMean::add(double value, const std::string& group) {
  if (n_ == 0) only_group_ = group;
  if (groups_.empty() && group == only_group_) {
    add_to_blocks(value);
  } else {
    if (groups_.empty()) groups_[only_group_] = {sum_, static_cast<std::size_t>(n_)};
    blocks_ = {};
    GroupSum& of = groups_[group];
    of.sum += value;
    ++of.n;
  }
  sum_ += value;
  ++n_;
}

// Of values that do not depend on each other, the interval over blocks of one size is as wide as that over single ones.
// The first block is always full.
void GrowingMean::add_to_blocks(double value) {
  if (!blocks_.empty() && blocks_.back().n < blocks_.front().n) {
    blocks_.back().sum += value;
    ++blocks_.back().n;
    return;
  }
  if (blocks_.size() == max_blocks) {
    for (std::size_t i = 0; i < max_blocks / 2; ++i)
      blocks_[i] = {blocks_[2 * i].sum + blocks_[2 * i + 1].sum, blocks_[2 * i].n + blocks_[2 * i + 1].n};
    blocks_.resize(max_blocks / 2);
  }
  blocks_.push_back({value, 1});
}

std::vector<GroupSum> GrowingMean::sums() const {
  std::vector<GroupSum> sums = blocks_;
  sums.reserve(blocks_.size() + groups_.size());
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
