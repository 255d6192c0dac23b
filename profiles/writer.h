// The only writing thread. Changes are queued in order and committed in groups: each commit waits for the device, so a
// commit per event would compete with the tiers being measured; ten group commits per second do not.
//
// Nothing queued is dropped: a group that fails temporarily (busy, no space, I/O) is rolled back and retried until it
// succeeds. A caller that waits for a change gets its error after a few attempts instead, and the change is not made.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "core/sqlite/sqlite.h"

namespace kvantage::inline profiles {

/// A change, run on the writer's thread inside a transaction; may be run again after a rollback, so it keeps no state.
using DatabaseChange = std::function<Status(Database&)>;

class DatabaseWriter {
 public:
  explicit DatabaseWriter(Database database);
  /// Writes the queue; changes that a failing device still rejects are logged.
  ~DatabaseWriter();
  DatabaseWriter(const DatabaseWriter&) = delete;
  DatabaseWriter& operator=(const DatabaseWriter&) = delete;

  /// Queues and returns.
  void post(DatabaseChange change);
  /// Queues and waits until the change is durable, or its error.
  Status apply(DatabaseChange change);
  /// Waits until everything queued before is durable. Returns the first error of a posted change that could never be
  /// written (reported once), or of the device.
  Status flush();
  /// The database was deleted or replaced while it is written; seen at a commit, reported once.
  std::optional<Error> take_trouble();

 private:
  struct Item {
    DatabaseChange change;
    std::shared_ptr<std::promise<Status>> waiting;  // null: no waiter
    int tries = 0;
  };

  void write_until_closed();
  void check_file();
  /// Runs and commits `group`; completed items are removed. False: a temporary failure, retry the rest.
  bool write_group(std::deque<Item>& group);

  Database database_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> queue_;
  std::size_t waiting_ = 0;  // items in the queue with a waiter
  bool closing_ = false;
  std::optional<Error> lasting_error_;
  bool gone_ = false;             // only the writing thread reads it
  std::optional<Error> trouble_;  // not reported yet
  std::thread thread_;
};

}  // namespace kvantage::inline profiles
