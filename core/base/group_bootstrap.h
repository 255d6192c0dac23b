// The cluster bootstrap on sums: what statistics.h draws from values and their groups, for those who add values up as
// they come and keep no single one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/base/statistics.h"

namespace kvantage {

/// Of the values of one group.
struct GroupSum {
  double sum = 0;
  std::size_t n = 0;
};

/// 95 % interval of the mean over all values, drawing whole groups with 2,000 resamples from the seed of
/// bootstrap_interval: the same digits where groups come in the order of their names. Nothing of fewer than two groups.
std::optional<Interval> bootstrap_interval(std::span<const GroupSum> groups);

}  // namespace kvantage
