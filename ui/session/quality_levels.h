// The two levels that every quality is read against: reuse without compression, and chance.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/policy/types.h"

namespace kvantage {

/// Means over the profiled contexts, weighed by frequency; nothing: not known of any.
struct QualityLevels {
  std::optional<double> uncompressed, chance;
  std::size_t contexts = 0;  // with a profile
};

/// Of one family's contexts, or (empty) of all.
QualityLevels quality_levels(const Snapshot& snapshot, const std::string& family);

}  // namespace kvantage
