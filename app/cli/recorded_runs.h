// Finding runs in a database by what a user calls them, and reading what they recorded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/recorded_run.h"
#include "profiles/stores.h"

namespace kvantage::cli {

/// Where runs are recorded unless --db says otherwise.
std::filesystem::path default_database();

/// `word`: a run id, the group of one command, a beginning that only one run has, or "last" (the newest and its group).
/// Oldest first. rejected_input names what there is.
Expected<std::vector<RunSummary>> find_runs(const std::vector<RunSummary>& runs, const std::string& word);

/// As find_runs, with their events (all of them, or those a report reads). Errors name the database.
Expected<std::vector<RecordedRun>> read_runs(const std::filesystem::path& database, const std::string& word,
                                             bool all_events);

/// A run that this process has just made, written to the end, with the events that a report reads.
Expected<RecordedRun> read_own_run(RunStore& runs, const std::string& run_id);

}  // namespace kvantage::cli
