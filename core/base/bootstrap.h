// 95 % intervals of figures that are no means: ratios of two means, percentiles, coefficients of variation. The same
// percentile bootstrap as bootstrap_interval (statistics.h), with the statistic handed in.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "core/base/statistics.h"

namespace kvantage {

/// Draws `groups` group numbers with replacement, 2,000 times from a fixed seed, and takes the 2.5th and 97.5th
/// percentile of what `statistic` gives of each draw. Draws of which it gives nothing are left out; nothing when there
/// are fewer than two groups or fewer than half of the draws remain.
std::optional<Interval> bootstrap_statistic(
    std::size_t groups, const std::function<std::optional<double>(std::span<const std::size_t> drawn)>& statistic);

}  // namespace kvantage
