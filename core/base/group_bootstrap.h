// The cluster bootstrap of statistics.h on per-group sums, for callers that accumulate values and keep none of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/base/statistics.h"

namespace kvantage {

/// Sum over the values of one group.
struct GroupSum {
  double sum = 0;
  std::size_t n = 0;
};

/// 95 % interval of the mean over all values, drawing whole groups with 2,000 resamples from the seed of
/// bootstrap_interval. Digits are identical where groups come in name order. Nothing for fewer than two groups.
std::optional<Interval> bootstrap_interval(std::span<const GroupSum> groups);

}  // namespace kvantage
