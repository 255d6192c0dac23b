// EvicPress, figure 10: quality and latency over time while the questions about each context drift.
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Samples of each outcome in serving order, cut into `windows` equal parts; `condition` distinguishes the runs
/// ("re-profiled", "profiled once").
FigureResult figure_drift(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          std::size_t windows = 8);

}  // namespace kvantage::inline experiments
