// 95 % intervals of metrics that are not means: ratios of two means, percentiles, coefficients of variation. The same
// percentile bootstrap as bootstrap_interval (statistics.h), with the statistic passed in.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "core/base/statistics.h"

namespace kvantage {

/// Draws `groups` group indices with replacement, 2,000 times from a fixed seed, and takes the 2.5th and 97.5th
/// percentile of `statistic` over the draws. Draws for which it returns nothing are skipped. Returns nothing for fewer
/// than two groups, or when fewer than half of the draws remain.
std::optional<Interval> bootstrap_statistic(
    std::size_t groups, const std::function<std::optional<double>(std::span<const std::size_t> drawn)>& statistic);

}  // namespace kvantage
