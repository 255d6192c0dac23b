// From the journal to a report: `run` prints and `report` writes from the same events, so their metrics are identical.
#pragma once

#include <vector>

#include "core/ports/stores.h"
#include "core/report/report.h"

namespace kvantage::inline report {

struct RecordedRun {
  RunSummary summary;
  std::vector<Event> events;                     // at least the types of report_event_types(), in order
  std::vector<double> calibration_seconds = {};  // run_calibration.h; empty where it was not timed
};

/// The event types that a report reads; others (tokens, progress) need not be loaded.
const std::vector<std::string>& report_event_types();

/// One PolicyRun per policy and settings that served in `run`, in order. Recognized keys of RunSummary::settings, all
/// optional: "settings" (the session's, shown first), "environment" (see build_report), "warmup" (requests skipped at
/// the start), "kv_bytes_per_token". The rest is shown with the settings.
std::vector<PolicyRun> policy_runs_of(const RecordedRun& run);
/// All that were answered in the run, under whatever settings; without warm-up.
std::size_t answered_requests(const RecordedRun& run);
/// Appends " (2)", " (3)" to repeated names.
std::vector<std::string> named_apart(std::vector<std::string> names);
/// Several runs in one report: common values are shown once, differing ones as a list in run order.
RunReport report_of_runs(const std::vector<RecordedRun>& runs);

/// The runs for `id` (a run id, or the "group" of their settings), oldest first; an empty id means the newest run and
/// its group. rejected_input lists what exists.
Expected<std::vector<RunSummary>> select_runs(std::vector<RunSummary> runs, const std::string& id);

}  // namespace kvantage::inline report
