// Port to the runs in a database, for browsing: the list, the notes, and the files for export and import. Any thread
// may call it; every call may take as long as disk I/O does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ports/stores.h"

namespace kvantage::inline ports {

/// A user's notes on a run.
struct RunNotes {
  std::string text;
  std::vector<std::string> tags;
  bool operator==(const RunNotes&) const = default;
};

struct ListedRun {
  std::int64_t row = 0;  // ascending in the order of start or import
  RunSummary summary;    // settings null when not requested
  RunNotes notes;
  Json metrics;  // as saved by save_metrics; null: none
};

/// Finished requests of a run after a position in its journal, in order.
struct RecordsAfter {
  std::vector<RequestRecord> records;
  std::int64_t place = 0;  // position to resume from
};

/// A run with all its events.
struct WholeRun {
  RunSummary summary;
  std::vector<Event> events;
  std::vector<double> calibration_seconds = {};  // run_calibration.h; empty for a run of a file
};

/// Called periodically on the working thread with the part of `total` that is done; false cancels the work (cancelled),
/// and nothing of it is kept. Empty: not monitored.
using ShouldContinue = std::function<bool(std::uint64_t done, std::uint64_t total)>;

class RunLibrary {
 public:
  virtual ~RunLibrary() = default;
  /// The database, as the command line takes it.
  virtual std::filesystem::path database() const = 0;
  /// Every run, oldest first. Settings only for rows beyond `settings_after`: they never change, and are most of the
  /// data.
  virtual Expected<std::vector<ListedRun>> list(std::int64_t settings_after) = 0;
  /// not_found for an unknown run.
  virtual Expected<RecordsAfter> records_after(const std::string& run_id, std::int64_t place) = 0;
  /// The run with events of these types only, all when `types` is empty. not_found for an unknown run.
  virtual Expected<WholeRun> read(const std::string& run_id, const std::vector<std::string>& types = {},
                                  const ShouldContinue& should_continue = {}) = 0;

  /// Replaces the existing notes; rejected_input for a read-only database.
  virtual Status save_notes(const std::string& run_id, const RunNotes& notes) = 0;
  virtual Status save_metrics(const std::string& run_id, const Json& metrics) = 0;
  /// Permanently deletes the run with its journal, notes and results.
  virtual Status remove(const std::string& run_id) = 0;

  /// Writes the run to a file for import_file() and read_file(). rejected_input when it has not ended.
  virtual Status export_file(const std::string& run_id, const std::filesystem::path& path,
                             const ShouldContinue& should_continue = {}) = 0;
  /// Imports the run of a file in one transaction; returns its id. rejected_input: the file was truncated or modified,
  /// or the run already exists.
  virtual Expected<std::string> import_file(const std::filesystem::path& path,
                                            const ShouldContinue& should_continue = {}) = 0;
  /// The run of a file, without importing it.
  virtual Expected<WholeRun> read_file(const std::filesystem::path& path,
                                       const ShouldContinue& should_continue = {}) = 0;
};

}  // namespace kvantage::inline ports
