// Finds runs in a database by user input, and reads their events.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/recorded_run.h"
#include "profiles/stores.h"

namespace kvantage::cli {

/// Default database for runs, without --db.
std::filesystem::path default_database();

/// `word`: a run id, the group of one command, a unique prefix or suffix of an id, or "last" (the newest and its
/// group). Oldest first. rejected_input lists the available runs.
Expected<std::vector<RunSummary>> find_runs(std::vector<RunSummary> runs, const std::string& word);

/// The runs of a database, oldest first, without their events.
Expected<std::vector<RunSummary>> summaries_of(const std::filesystem::path& database);

/// A run's result (RunStore::save_result): its place in the report of its command, a whole number. A command that
/// serves several policies does so in a drawn order.
inline constexpr const char* place_result = "place";

/// As find_runs, with their events (all of them, or those a report reads), in the order of their places where they have
/// any. Errors name the database.
Expected<std::vector<RecordedRun>> read_runs(const std::filesystem::path& database, const std::string& word,
                                             bool all_events);

/// A run that this process just recorded, fully written, with the events that a report reads.
Expected<RecordedRun> read_own_run(RunStore& runs, const std::string& run_id);

}  // namespace kvantage::cli
