// The knee of a predicted curve: where more quality begins to cost much more TTFT.
#pragma once

#include <optional>

#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

/// The alpha of the sample farthest above the straight line from the curve's fastest sample to its best, quality
/// against log TTFT, each over its own range (Satopaa et al., "Finding a Kneedle in a Haystack", 2011). Of equally far
/// ones the fastest. Nothing where no sample is clearly above the line, or where quality or TTFT is the same all along.
std::optional<double> knee_alpha(const FrontierCurve& curve);

}  // namespace kvantage
