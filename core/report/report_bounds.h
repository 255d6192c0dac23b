// What reports and comparisons are made of in bounded time: a run that this program recorded stays far below, but a
// file or database of others may name anything.
#pragma once

#include <cstddef>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage::inline report {

inline constexpr std::size_t max_report_runs = 2000;
/// Of a setting: what lies deeper is one setting, since each has a path of its own.
inline constexpr std::size_t longest_setting_path = 1000;

/// rejected_input where these runs together have more tiers, metrics, methods, settings or rows than a report shows.
Status check_report_bounds(const std::vector<RecordedRun>& runs);

}  // namespace kvantage::inline report
