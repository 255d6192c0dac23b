// The index of a folder: one SQLite table, a row an entry, in write-ahead mode with a flush at every commit. What it
// says is also in the store headers of the segments, from which it is rebuilt when it is lost or damaged. Rows carry a
// checksum of their own, which SQLite's pages do not. Used by one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/sqlite/sqlite.h"
#include "tiers/device_vfs.h"
#include "tiers/ssd/segment_space.h"
#include "tiers/store_header.h"

namespace kvantage {

struct SegmentRow {
  StoreHeader header;
  SegmentExtent extent;
};

class SegmentIndex {
 public:
  /// Made when absent, empty() until create(). corrupt: damaged, or no index at all; rejected_input: a later version of
  /// the program wrote it; no_space, io as the device says.
  static Expected<std::unique_ptr<SegmentIndex>> open(const std::filesystem::path& directory,
                                                      std::shared_ptr<FileDevice> device);
  /// Takes the files of an index away, to begin anew.
  static Status remove(const std::filesystem::path& directory, FileDevice& device);

  /// No table yet: there was no index, or its making was cut short.
  bool empty() const { return empty_; }
  /// Table and first rows in one commit, so that no index ever says less than it should.
  Status create(std::span<const SegmentRow> rows);
  /// A commit failed, and may come back after a power cut until another has succeeded.
  bool in_doubt() const { return in_doubt_; }
  /// All rows, by segment and offset. corrupt when one is not what was written.
  Expected<std::vector<SegmentRow>> rows();
  /// Everything or nothing, durable when this returns. A row of a sequence that is there replaces it: the entry moved.
  Status apply(std::span<const SegmentRow> rows, std::span<const std::uint64_t> removed_sequences);

 private:
  SegmentIndex(std::unique_ptr<DeviceVfs> vfs, Database database)
      : vfs_(std::move(vfs)), database_(std::move(database)) {}
  Status prepare();
  Expected<std::vector<SegmentRow>> read_rows();
  Status write_rows(std::span<const SegmentRow> rows, std::span<const std::uint64_t> removed_sequences);
  Status insert_rows(std::span<const SegmentRow> rows);
  std::filesystem::path directory() const { return std::filesystem::path(database_.name()).parent_path(); }

  bool empty_ = false;
  bool in_doubt_ = false;

  std::unique_ptr<DeviceVfs> vfs_;
  Database database_;
  std::optional<Statement> insert_, erase_;  // closed before the database
};

}  // namespace kvantage
