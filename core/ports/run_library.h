// Port to the runs that a database holds, for somebody who looks through them: what there is, what was written beside
// it, the files they travel in. Any thread may call it; every call may take as long as the disk does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ports/stores.h"

namespace kvantage {

/// What people wrote beside a run.
struct RunNotes {
  std::string text;
  std::vector<std::string> tags;
  bool operator==(const RunNotes&) const = default;
};

struct ListedRun {
  std::int64_t row = 0;  // ascending in the order of beginning or importing
  RunSummary summary;    // settings null when they were not asked for
  RunNotes notes;
  Json figures;  // as saved by save_figures; null: none
};

/// Finished requests of a run behind a place in its journal, in order.
struct RecordsAfter {
  std::vector<RequestRecord> records;
  std::int64_t place = 0;  // to go on from
};

/// A run with all its events.
struct WholeRun {
  RunSummary summary;
  std::vector<Event> events;
};

/// Asked now and then, on the thread that works, with how much of `total` is done; false gives the work up (cancelled),
/// and nothing of it stays. Empty: nobody watches.
using GoOn = std::function<bool(std::uint64_t done, std::uint64_t total)>;

class RunLibrary {
 public:
  virtual ~RunLibrary() = default;
  /// The database, as a user would name it to the command line.
  virtual std::filesystem::path database() const = 0;
  /// Every run, oldest first; settings only of those whose row is beyond `settings_after`: they never change, and are
  /// most of what there is to read.
  virtual Expected<std::vector<ListedRun>> list(std::int64_t settings_after) = 0;
  /// not_found when there is no such run.
  virtual Expected<RecordsAfter> records_after(const std::string& run_id, std::int64_t place) = 0;
  /// The run with events of these types only, all when `types` is empty. not_found when there is no such run.
  virtual Expected<WholeRun> read(const std::string& run_id, const std::vector<std::string>& types = {},
                                  const GoOn& go_on = {}) = 0;

  /// Replaces what stands there; rejected_input when the database may not be written.
  virtual Status save_notes(const std::string& run_id, const RunNotes& notes) = 0;
  virtual Status save_figures(const std::string& run_id, const Json& figures) = 0;
  /// Takes the run with its journal, notes and results out of the database for good.
  virtual Status remove(const std::string& run_id) = 0;

  /// Writes the run as a file that import_file() and read_file() take. rejected_input when it has not ended.
  virtual Status export_file(const std::string& run_id, const std::filesystem::path& path, const GoOn& go_on = {}) = 0;
  /// Adds the run of a file in one transaction; its id. rejected_input: the file was cut or changed, or the run is
  /// there already.
  virtual Expected<std::string> import_file(const std::filesystem::path& path, const GoOn& go_on = {}) = 0;
  /// The run of a file, without adding it.
  virtual Expected<WholeRun> read_file(const std::filesystem::path& path, const GoOn& go_on = {}) = 0;
};

}  // namespace kvantage
