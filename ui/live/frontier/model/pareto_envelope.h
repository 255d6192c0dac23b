// The plans of a predicted curve that no other plan of it beats: the line that the Frontier draws bold. The curve
// itself may run backwards, as each alpha has a plan of its own.
#pragma once

#include <vector>

#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

/// The samples that are not dominated: no other is at least as fast and at least as good, and better in one of both.
/// Ascending TTFT, and so ascending quality; of equal means the sample with the least alpha. Samples without a positive
/// and finite TTFT have no place on the chart and are left out.
std::vector<FrontierSample> pareto_envelope(const std::vector<FrontierSample>& samples);

}  // namespace kvantage
