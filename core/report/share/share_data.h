// A recorded run as the data of a page that replays it in a browser: the numbers of the run's report, and what happened
// over time, bounded. docs/file-formats.md describes its fields.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/recorded_run.h"

namespace kvantage::inline share {

/// What is longer is reduced, and the page says so.
struct ShareLimits {
  std::size_t series_points = 20'000;  // of one series; 4 or more
  std::size_t chart_points = 200'000;  // of all series of a chart together
  std::size_t requests = 50'000;       // 2 or more, as the next two
  std::size_t marks = 5'000;
  std::size_t plans = 5'000;
  std::size_t setting_cells = 100'000;      // of settings that differ, over all segments
  std::size_t text_bytes = 2'000;           // of one question or answer
  std::size_t all_text_bytes = 32U << 20U;  // of all of them
};

struct ShareOptions {
  bool texts = false;  // questions and answers: contexts may be private
  ShareLimits limits{};
};

/// The event types that share_data() reads; others (tokens, progress) need not be loaded.
const std::vector<std::string>& share_event_types();

/// An object. Seconds are from the first event, rounded to microseconds; means and intervals are those of
/// report_of_runs(), with every digit. rejected_input where check_report_bounds() refuses the run.
Expected<Json> share_data(RecordedRun run, const ShareOptions& options = {});

}  // namespace kvantage::inline share
