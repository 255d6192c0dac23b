// Quantities over time, bounded: what the page of a shared run draws, and looks up at the time of its slider.
#pragma once

#include <cstddef>
#include <vector>

namespace kvantage::inline share {

struct ShareSample {
  double seconds = 0, value = 0;
};

/// At most `limit` (4 or more) of `samples`, which ascend in time. Where there are more: the first, and the smallest,
/// largest and last of each of (limit - 1) / 3 periods of equal length, so that no peak is lost.
std::vector<ShareSample> thinned(std::vector<ShareSample> samples, std::size_t limit);

/// At most `limit` (2 or more) of the places 0 to `count` - 1, ascending: evenly spread, the first and the last
/// included.
std::vector<std::size_t> spread(std::size_t count, std::size_t limit);

}  // namespace kvantage::inline share
