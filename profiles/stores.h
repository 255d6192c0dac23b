// One SQLite file holds what outlives a run: quality profiles, tier fits, small values, and the journal of every run.
//
// Shape: Database and Statement (sqlite.h) are the only code that speaks the C API; schema.h knows the tables and how
// older files become newer ones; DatabaseWriter (writer.h) is the one thread that writes, in group commits; readers
// lease connections of their own, so a long read never holds up the journal (write-ahead log). What is committed
// survives kill -9 and power loss; a run that was killed has no finish time. A file that is not ours, is damaged, or
// comes from a newer program is refused in one line and left as it is.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/clock.h"
#include "core/ports/run_library.h"

namespace kvantage {

/// Both ports over one file. Destroying it writes what is queued.
class Stores {
 public:
  virtual ~Stores() = default;
  virtual ProfileStore& profiles() = 0;
  virtual RunStore& runs() = 0;
  /// Adds a run that was recorded elsewhere with what was written beside it, all of it or nothing. rejected_input when
  /// it is there already, or when opened for reading only.
  virtual Status import_run(const RunSummary& summary, const std::vector<Event>& events, const RunNotes& notes) = 0;
};

enum class StoreAccess {
  read_write,  // made when absent, brought to the present schema when older
  read_only,   // must exist with the present schema; what it holds is not touched
};

/// rejected_input for a path that cannot be used (folder, not a database, another program's, newer schema, read-only);
/// corrupt when the file is damaged; busy when another process holds it. Folders above `path` are made.
Expected<std::unique_ptr<Stores>> open_stores(const std::filesystem::path& path,
                                              StoreAccess access = StoreAccess::read_write,
                                              std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>());

}  // namespace kvantage
