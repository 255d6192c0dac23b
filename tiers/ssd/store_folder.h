// Inspects and verifies a folder of stored entries from outside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ports/file_device.h"
#include "tiers/store_header.h"

namespace kvantage::inline ssd {

struct FolderListing {
  struct Entry {
    StoreHeader header;
    std::uint32_t segment = 0;
    std::uint64_t offset = 0;  // of its header
  };
  std::vector<Entry> entries;  // by segment and offset
  std::uint64_t segments = 0;
  std::uint64_t unreadable_files = 0;
  std::vector<std::string> unreadable;  // why, in one line each
  std::uint64_t file_bytes = 0;         // of all segments
  std::uint64_t index_bytes = 0;        // of the index and its log
  std::uint64_t disk_bytes = 0;         // what the disk takes for all files of the folder: disk_bytes()

  std::uint64_t entry_bytes() const;
  /// Unused space in the segments.
  std::uint64_t reusable_bytes() const;
};

/// Reads the headers in the segments; takes no lock and changes nothing, so that a folder in use can be inspected
/// (concurrent writes may or may not be included). io when the folder cannot be read.
Expected<FolderListing> list_store_folder(const std::filesystem::path& folder);

/// Blocks of the file system that the files of a folder take, st_blocks of 512 bytes. Less than their length where they
/// have holes or are compressed, more where blocks are filled in part. 0 if the folder cannot be read.
std::uint64_t disk_bytes(const std::filesystem::path& folder);

/// Folders at or below `root` that contain entries, sorted.
std::vector<std::filesystem::path> find_store_folders(const std::filesystem::path& root);

/// Whether a tier has had a folder at or below `root`, if only an empty one: each leaves its lock.
bool has_store_folders(const std::filesystem::path& root);

struct FolderCheck {
  struct Bad {
    std::string key, reason;
    std::uint64_t bytes = 0;
    bool erased = false;
  };
  std::uint64_t good_entries = 0, good_bytes = 0;
  std::uint64_t swept = 0;              // unfinished or replaced entries and files: removed, as on every opening
  std::uint64_t file_bytes = 0;         // of the segments afterwards
  std::uint64_t reusable_bytes = 0;     // of that, unused space
  std::uint64_t lost_entries = 0;       // in the index, but their bytes are missing
  std::uint64_t unreadable_files = 0;   // left alone: read errors
  std::vector<std::string> unreadable;  // why, in one line each; of the first ones alone
  bool rebuilt = false;                 // the index was rebuilt from the segments
  std::vector<Bad> bad;

  bool clean() const { return bad.empty() && lost_entries == 0 && unreadable_files == 0; }
};

/// Locks the folder like a tier and verifies every entry's checksum. erase_bad: removes those that fail. busy when a
/// program has the folder. progress(done, all): after each entry; false stops with `cancelled`.
Expected<FolderCheck> check_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device,
                                         bool erase_bad,
                                         const std::function<bool(std::uint64_t, std::uint64_t)>& progress = {});

struct FolderCompaction {
  std::uint64_t moved_entries = 0, moved_bytes = 0, bad_entries = 0;
  std::uint64_t file_bytes_before = 0, file_bytes_after = 0;
};

/// Locks the folder like a tier and compacts its entries. busy when a program has the folder; no_space when there is no
/// space to move anything.
Expected<FolderCompaction> compact_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device,
                                                const std::function<bool()>& progress = {});

}  // namespace kvantage::inline ssd
