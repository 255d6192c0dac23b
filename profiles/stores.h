// One SQLite file for all persistent data: quality profiles, tier fits, small values, and the journal of every run.
//
// Only Database and Statement (sqlite.h) call the C API; schema.h defines the tables and migrations; DatabaseWriter
// (writer.h) is the only writing thread, with group commits. Readers lease their own connections, so a long read never
// blocks the journal (write-ahead log). Committed data survives kill -9 and power loss; a killed run has no finish
// time. A file that is not ours, is damaged, or comes from a newer program is rejected in one line and left unchanged.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/clock.h"
#include "core/ports/run_library.h"

namespace kvantage::inline profiles {

/// Both ports over one file. The destructor writes all queued changes.
class Stores {
 public:
  virtual ~Stores() = default;
  virtual ProfileStore& profiles() = 0;
  virtual RunStore& runs() = 0;
  /// Imports a run recorded elsewhere with its notes, all or nothing. rejected_input when it already exists, or when
  /// opened read-only.
  virtual Status import_run(const RunSummary& summary, const std::vector<Event>& events, const RunNotes& notes) = 0;
  /// The same from a file of run_file.h, whose events are never held all at once.
  struct ImportedRun {
    std::string run_id;
    std::size_t events = 0;
  };
  virtual Expected<ImportedRun> import_run(const std::filesystem::path& file) = 0;
};

enum class StoreAccess {
  read_write,  // created when absent, migrated to the current schema when older
  read_only,   // must exist with the current schema; nothing is modified
};

/// `clock` dates what is written. rejected_input for an unusable path (folder, not a database, another program's, newer
/// schema, read-only); corrupt when the file is damaged; busy when another process holds it. Parent folders of `path`
/// are created.
Expected<std::unique_ptr<Stores>> open_stores(const std::filesystem::path& path, StoreAccess access,
                                              std::shared_ptr<const Clock> clock);

}  // namespace kvantage::inline profiles
