// Distributes cells of a sweep to workers, through a Redis server (redis_queue.h) or a shared folder (folder_queue.h).
// Each cell goes to one worker, which renews its claim while it serves; a cell without renewal for a while goes to
// another. A result is stored once under its cell's id, so a cell that runs twice counts once and none is lost.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/sweep/sweep_plan.h"

namespace kvantage::cli {

/// Renews the claim of a worker during its lifetime, on its own thread.
class SweepLease {
 public:
  SweepLease() = default;
  virtual ~SweepLease() = default;
  SweepLease(const SweepLease&) = delete;
  SweepLease& operator=(const SweepLease&) = delete;
};

/// Where a sweep is, for messages.
struct SweepPlace {
  std::string sweep, where;  // "sweep 'night'", "on the server"
  std::string another;       // the option that names another one: "--name"
  std::string lost;          // why it may no longer be there
  std::string worker_words;  // options of a worker: "--name night --workers redis://HOST"
};

class SweepQueue {
 public:
  static constexpr int max_attempts = 3;
  virtual ~SweepQueue() = default;
  virtual SweepPlace place() const = 0;

  // For the owner:
  /// Whether any data of a sweep of this name exists.
  virtual Expected<bool> exists() = 0;
  /// Whether its plan is there.
  virtual Expected<bool> is_published() = 0;
  /// Publishes plan and cells; already published ones are skipped. Cells in `held`, whose results are stored elsewhere,
  /// are marked as done for workers.
  virtual Status publish(const SweepPlan& plan, const std::set<std::string>& held) = 0;
  /// Removes failures recorded as results, and marks of held cells missing from `held`: the next publish() distributes
  /// those cells again.
  virtual Status forget_failures(const std::set<std::string>& held) = 0;
  /// Worker messages for each failed cell: one text per attempt.
  virtual Expected<std::map<std::string, std::vector<std::string>>> failures() = 0;
  /// The recorded run of a cell, as text; nothing if there is none (any more).
  virtual Expected<std::optional<std::string>> run_of(const std::string& id) = 0;
  /// Call after it was imported into a database.
  virtual Status forget_run(const std::string& id) = 0;
  /// Ids with results.
  virtual Expected<std::set<std::string>> finished() = 0;
  virtual Expected<std::optional<Json>> result(const std::string& id) = 0;
  /// Whether a worker ever took a cell; also true where the queue cannot tell.
  virtual bool has_claims() const { return true; }

  // For workers:
  virtual Expected<std::optional<SweepPlan>> plan() = 0;
  struct Taken {
    std::string message, id;  // `message` is the queue's own name of the claim
    SweepCell cell;
    bool from_another = false;  // whose worker did not renew within `lease_seconds`
  };
  /// The next cell for `worker`, or nothing for now.
  virtual Expected<std::optional<Taken>> take(const std::string& worker, double lease_seconds) = 0;
  virtual Expected<bool> has_result(const std::string& id) = 0;
  /// Stores result and run if there is none, then gives the claim up. False: there was one.
  virtual Expected<bool> finish(const Taken& taken, const Json& result, const std::string& run_text) = 0;
  /// Returns the cell to the queue for any worker; the last of max_attempts makes the failure its result.
  virtual Status hand_back(const Taken& taken, const std::string& worker, const std::string& why) = 0;
  /// Keep it until the cell is finished or handed back.
  virtual std::unique_ptr<SweepLease> renewing(const std::string& worker, const Taken& taken, double lease_seconds) = 0;
  /// Between looks of somebody who waits.
  virtual double seconds_between_looks() const = 0;

 protected:
  /// Ids of what forget_failures() removes.
  Expected<std::set<std::string>> forgettable(const std::set<std::string>& held);
};

/// One line of failures().
std::string failure_line(const std::string& worker, const std::string& why);

/// What an attempt that failed becomes after the last: {"failed", "worker", "attempts", "cell"}.
Json failure_of(const SweepCell& cell, const std::string& worker, const std::string& why);

}  // namespace kvantage::cli
