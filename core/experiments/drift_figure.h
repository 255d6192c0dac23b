// EvicPress, figure 10: quality and latency over time while the questions about each context drift.
#pragma once

#include <cstdint>
#include <optional>

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Shares of a run after which questions begin to drift, and after which all of them have.
struct DriftSpan {
  double begin = 0, end = 1;
};

/// Conditions of the outcomes.
inline constexpr const char* reprofiled_condition = "re-profiled";
inline constexpr const char* profiled_once_condition = "profiled once";

/// Samples of each outcome in serving order, cut into `windows` equal parts; `condition` distinguishes the runs
/// ("re-profiled", "profiled once"). Quality is that of questions that re-profiling had not used when they were asked:
/// others are left out under both conditions and counted. End-to-end latency is from arrival to the last token, with
/// queueing; TTFT is of service. `drift`: of drift_in_run(); without one no claim of the paper is compared. Of latency
/// there are two: while questions drift, and in the last part, which is compared only where questions drift before it.
FigureResult figure_drift(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          const std::optional<DriftSpan>& drift, std::size_t windows = 8);

/// The drift of a run of `requests`, from that of a whole run of the workload, of which a shorter one is the start.
/// Ends at most at 1. Nothing where the run ends before questions drift.
std::optional<DriftSpan> drift_in_run(const DriftSpan& whole, std::uint64_t whole_requests, std::uint64_t requests);

/// The last finding without a drift.
inline constexpr const char* no_drift_text = "questions do not drift in this run: no claim of the paper is compared";

}  // namespace kvantage::inline experiments
