// The index of a folder: one SQLite table, one row per entry, in WAL mode with a flush at every commit. Its content is
// also in the store headers of the segments, from which it is rebuilt if lost or damaged. Rows have their own checksum,
// which SQLite's pages lack. Single-threaded.
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

namespace kvantage::inline ssd {

struct SegmentRow {
  StoreHeader header;
  SegmentExtent extent;
};

class SegmentIndex {
 public:
  /// Created when absent, empty() until create(). corrupt: damaged, or not an index; rejected_input: written by a later
  /// version of the program; no_space, io from the device.
  static Expected<std::unique_ptr<SegmentIndex>> open(const std::filesystem::path& directory,
                                                      std::shared_ptr<FileDevice> device);
  /// Removes the files of an index, to start over.
  static Status remove(const std::filesystem::path& directory, FileDevice& device);

  /// No table yet: there was no index, or its creation was interrupted.
  bool empty() const { return empty_; }
  /// Table and initial rows in one commit, so that an index is never incomplete.
  Status create(std::span<const SegmentRow> rows);
  /// A commit failed, and may reappear after a power cut until another has succeeded.
  bool in_doubt() const { return in_doubt_; }
  /// All rows, by segment and offset. corrupt when one fails its checksum.
  Expected<std::vector<SegmentRow>> rows();
  /// Atomic, durable when this returns. A row with an existing sequence replaces it: the entry moved.
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

}  // namespace kvantage::inline ssd
