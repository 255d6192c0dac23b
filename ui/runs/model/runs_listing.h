// What the window's thread need not do when the list of runs is read: telling what changed since it was read last, and
// making what rows show.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ports/run_library.h"
#include "ui/runs/model/runs_model.h"

namespace kvantage {

/// One reading of the list, against the one before.
struct RunsListed {
  bool complete = false;                               // nothing of before holds: what was added is all there is
  std::vector<std::string> gone;                       // ids
  std::vector<ListedRun> changed;                      // without their settings
  std::vector<std::unique_ptr<RunsModel::Row>> added;  // oldest first, as shown
};

/// Knows what it reported. Every call on one thread, that of the worker.
class RunsListing {
 public:
  explicit RunsListing(std::shared_ptr<RunLibrary> library) : library_(std::move(library)) {}
  Expected<RunsListed> read(const QString& present_run);
  /// Tells of this run at the next reading, whether it changed or not.
  void doubt(const std::string& run_id);

 private:
  struct Told {
    std::uint64_t requests = 0, reading = 0;
    std::int64_t finished_utc_ns = 0;
    std::string outcome;
    RunNotes notes;
    bool doubted = false;
  };
  static Told told_of(const ListedRun& run);

  std::shared_ptr<RunLibrary> library_;
  std::unordered_map<std::string, Told> told_;
  std::int64_t last_row_ = 0;  // of those reported: what is beyond is read with its settings
  std::uint64_t readings_ = 0;
};

}  // namespace kvantage
