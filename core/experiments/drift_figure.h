// EvicPress, figure 10: quality and latency over time while the questions about each context drift.
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Samples of each outcome in serving order, cut into `windows` equal parts; `condition` distinguishes the runs
/// ("re-profiled", "profiled once"). Quality is that of questions that re-profiling had not used when they were asked:
/// others are left out under both conditions and counted. End-to-end latency is from arrival to the last token, with
/// queueing; TTFT is of service.
FigureResult figure_drift(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          std::size_t windows = 8);

}  // namespace kvantage::inline experiments
