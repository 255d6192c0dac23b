// The tier in a folder: segment files with the entries, each after a store header (tiers/store_header.h), and an SQLite
// index of their locations (tiers/ssd/segment_index.h).
//
// Order of a write: header and entry into free space, fdatasync, then the index commit, then visible. Order of an
// erase: the header is wiped, then the commit, then the space is free; a row without its header is not an entry. So a
// kill or power cut at any moment leaves each entry either complete or absent; unreferenced space is free. Erases
// commit immediately, replacements with the next commit. A read pins its space, so erasing, replacing or moving an
// entry never changes bytes under a read.
//
// Holes are reused, best fit first. Space at the end of a segment is returned to the file system immediately. When
// holes outweigh the entries, the sparsest segment is rewritten (`compact()` rewrites all).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/ports/entry_store.h"
#include "core/ports/file_device.h"
#include "tiers/directory_lock.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_entry.h"
#include "tiers/ssd/segment_index.h"
#include "tiers/ssd/segment_space.h"

namespace kvantage::inline ssd {

/// disk_bytes() of a folder, read again after changes only: the window asks several times a second. Thread-safe.
class FolderUse {
 public:
  /// `changes`: how many there were.
  std::uint64_t bytes(const std::filesystem::path& folder, std::uint64_t changes);

 private:
  std::mutex mutex_;
  std::uint64_t read_at_ = 0;  // changes
  std::uint64_t bytes_ = 0;
};

class SsdStore final : public EntryStore {
 public:
  struct Options {
    std::uint64_t segment_bytes = SegmentSpace::default_segment_bytes;
  };
  struct Compaction {
    std::uint64_t moved_entries = 0, moved_bytes = 0;
    std::uint64_t bad_entries = 0;  // failed verification: left in place
  };

  /// Locks the folder (created if absent) for this process. busy when another store has it, io when it is not writable.
  static Expected<std::unique_ptr<SsdStore>> open(std::string name, std::filesystem::path directory,
                                                  std::shared_ptr<FileDevice> device, const Options& options);
  static Expected<std::unique_ptr<SsdStore>> open(std::string name, std::filesystem::path directory,
                                                  std::shared_ptr<FileDevice> device) {
    return open(std::move(name), std::move(directory), std::move(device), Options{});
  }
  ~SsdStore() override;

  TierDescription describe() const override { return {name_, "file system", false, note_}; }
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  void settle() override;
  std::uint64_t reusable_bytes() const override { return reusable_bytes_; }
  std::optional<StorageUse> storage_use() const override;

  /// Total over all segments. On the writing thread.
  std::uint64_t file_bytes() const { return space_.length_bytes(); }
  /// Rewrites every sparse segment until entries are contiguous. Needs space for one segment; stops with no_space when
  /// there is none, keeping the progress so far. progress(): false stops with `cancelled`. Somebody must hold every
  /// entry that is not retired, as recover() and put() returned it: `internal` otherwise, before anything is changed.
  Expected<Compaction> compact(const std::function<bool()>& progress = {});

 private:
  SsdStore(std::string name, std::filesystem::path directory, std::shared_ptr<FileDevice> device, DirectoryLock lock,
           MappedMemory read_scratch, MappedMemory write_scratch, const Options& options)
      : name_(std::move(name)),
        directory_(std::move(directory)),
        device_(std::move(device)),
        lock_(std::move(lock)),
        read_scratch_(std::move(read_scratch)),
        write_scratch_(std::move(write_scratch)),
        space_(options.segment_bytes) {}

  Status probe();
  // Opening (tiers/ssd/ssd_recovery.cpp).
  Expected<std::vector<SegmentRow>> read_index();
  Expected<std::vector<SegmentRow>> rebuild_index(RecoveredEntries& recovered);
  bool holds_another(const SegmentRow& row);
  Status find_forgotten(std::vector<SegmentRow>& rows, RecoveredEntries& recovered);
  Status scan_or_leave(std::uint32_t segment, std::optional<std::uint64_t>& length, std::uint64_t begin,
                       std::uint64_t end, std::vector<SegmentRow>& rows, RecoveredEntries& recovered);
  Status scan_file(std::uint32_t segment, std::uint64_t begin, std::uint64_t end, std::vector<SegmentRow>& rows);
  void add_recovered(std::vector<SegmentRow> rows, RecoveredEntries& recovered);
  Status list_segments(RecoveredEntries& recovered);
  void trim_segments(RecoveredEntries& recovered);

  bool all_are_held();
  Status renew_index();
  Status write_at(const SegmentExtent& extent, std::span<const std::byte> header, std::span<const std::byte> bytes,
                  const std::atomic<bool>& cancelled);
  Status commit(std::span<const SegmentRow> rows);
  void free_room(const SegmentExtent& extent);
  void wipe(const SegmentExtent& extent);
  /// An entry whose store header is at `offset` of `file`, verified by its checksum.
  tl::expected<MappedMemory, TransferError> read_whole(DeviceFile& file, const StoreHeader& header,
                                                       std::uint64_t offset);
  tl::expected<MappedMemory, TransferError> read_whole(const SegmentEntry& entry);
  std::shared_ptr<SegmentEntry> keep(StoreHeader header, const SegmentExtent& extent);
  Status compact_segment(std::uint32_t number, std::uint32_t first_target, Compaction& done);
  std::filesystem::path path_of(std::uint32_t segment) const { return directory_ / segment_file_name(segment); }

  std::string name_;
  std::filesystem::path directory_;
  std::shared_ptr<FileDevice> device_;
  DirectoryLock lock_;
  MappedMemory read_scratch_;                                 // the reading thread's
  MappedMemory write_scratch_;                                // the writing thread's
  std::shared_ptr<void> registered_read_, registered_write_;  // with the device; released before the memory
  std::string note_;
  // Used by the writing thread, and before that by the opening one.
  std::unique_ptr<SegmentIndex> index_;
  SegmentSpace space_;
  std::map<std::uint32_t, std::optional<std::uint64_t>> files_;  // with their lengths at opening, if readable
  std::map<std::uint64_t, std::weak_ptr<SegmentEntry>> live_;    // by sequence: rows of the index
  std::vector<ReturnedRoom::Item> returned_items_;               // taken from returned_, not committed yet
  std::shared_ptr<ReturnedRoom> returned_ = std::make_shared<ReturnedRoom>();
  std::uint64_t last_sequence_ = 0;
  bool log_left_ = false;                     // the index was not closed
  bool closing_ = false;                      // entries have left memory: the index cannot be rebuilt from them
  std::set<std::uint32_t> stuck_;             // segments with a corrupt entry: rewriting them would free nothing
  std::optional<SegmentExtent> last_failed_;  // of the last failed write
  std::atomic<std::uint64_t> reusable_bytes_{0};
  std::atomic<std::uint64_t> changes_{1};  // of the files, counted
  mutable FolderUse use_;
};

}  // namespace kvantage::inline ssd
