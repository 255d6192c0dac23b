// Charts from the journal: tier usage and hit rates over time, quality against removed fraction, and prediction against
// measurement.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/report/recorded_run.h"
#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// Maximum points per series; longer ones keep the maximum and the last point of each interval.
inline constexpr std::size_t plot_point_limit = 300;
/// Answers in the window of a hit rate.
inline constexpr std::size_t plot_hit_window = 50;

/// Percent of answers that a source served, in the order in which they are added.
class HitRate {
 public:
  void add(bool hit);
  /// Of the last plot_hit_window answers, or of all where there are fewer; 0 before the first.
  double recent() const;
  /// Of all of them; 0 before the first.
  double since_the_beginning() const;

 private:
  std::array<bool, plot_hit_window> window_{};  // by the number of the answer, over and over
  std::size_t answers_ = 0, hits_ = 0, in_window_ = 0;
};

/// In this order, those with data: one "occupancy" per tier, with a series per run; one "hit_rate" per run, with a
/// series per tier; one "sensitivity" per method, with a series per family; "predicted_ttft" and "predicted_quality".
/// Runs are named as in reports. Times start at the first request of a run.
std::vector<ReportPlot> plots_of_runs(const std::vector<RecordedRun>& runs);

}  // namespace kvantage::inline report
