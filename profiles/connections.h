// Database access: a pool of reader connections, each leased to one thread at a time, and the optional writer.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/sqlite/sqlite.h"
#include "profiles/writer.h"

namespace kvantage::inline profiles {

/// A connection leased for one read.
class ReadLease;

class Connections {
 public:
  /// `writer` null: read-only.
  Connections(std::filesystem::path path, DatabaseMode read_mode, std::unique_ptr<DatabaseWriter> writer,
              std::shared_ptr<const Clock> clock)
      : path_(std::move(path)), read_mode_(read_mode), writer_(std::move(writer)), clock_(std::move(clock)) {}

  Expected<ReadLease> read();
  /// Waits until `change` is durable. rejected_input when opened read-only.
  Status write(DatabaseChange change);
  DatabaseWriter* writer() { return writer_.get(); }
  std::int64_t utc_ns() const { return clock_->utc_ns(); }
  std::string name() const { return path_.string(); }

 private:
  friend class ReadLease;
  std::filesystem::path path_;
  DatabaseMode read_mode_;
  std::mutex mutex_;
  std::unique_ptr<DatabaseWriter> writer_;
  std::vector<Database> idle_;  // closed before the writer: the last connection checkpoints the write-ahead log,
                                // which a reader may not
  std::shared_ptr<const Clock> clock_;
};

class ReadLease {
 public:
  ReadLease(Connections& home, Database database) : home_(&home), database_(std::move(database)) {}
  ReadLease(ReadLease&& other) noexcept
      : home_(std::exchange(other.home_, nullptr)), database_(std::move(other.database_)) {}
  ReadLease& operator=(ReadLease&&) = delete;
  ~ReadLease();
  Database* operator->() { return &database_; }

 private:
  Connections* home_;
  Database database_;
};

}  // namespace kvantage::inline profiles
