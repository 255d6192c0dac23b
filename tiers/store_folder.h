// A folder of stored entries looked at from outside: what lies in it, and whether every byte is what was written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ports/file_device.h"
#include "tiers/store_header.h"

namespace kvantage {

struct FolderListing {
  struct Entry {
    std::filesystem::path path;
    StoreHeader header;
    std::uint64_t file_bytes = 0;
  };
  std::vector<Entry> entries;          // by path
  std::uint64_t unfinished_files = 0;  // being written, or left by one that was killed
  std::uint64_t unreadable_files = 0;  // named like entries, with no header that holds
  std::uint64_t file_bytes = 0;        // of all of these

  std::uint64_t entry_bytes() const;
};

/// Reads names and headers; takes no lock and changes nothing, so that a folder in use can be looked at. io when the
/// folder cannot be read.
Expected<FolderListing> list_store_folder(const std::filesystem::path& folder);

/// Folders at or below `root` that hold entries, sorted.
std::vector<std::filesystem::path> find_store_folders(const std::filesystem::path& root);

struct FolderCheck {
  struct Bad {
    std::string key, reason;
    std::uint64_t bytes = 0;
  };
  std::uint64_t good_entries = 0, good_bytes = 0;
  std::uint64_t swept_files = 0;  // unfinished, headless or replaced ones: removed, as every opening does
  std::vector<Bad> bad;
};

/// Takes the folder as a tier does and reads every entry against its checksum. erase_bad: those that fail go. busy when
/// a program has the folder. progress(done, all): after each entry; false stops with `cancelled`.
Expected<FolderCheck> check_store_folder(const std::filesystem::path& folder, std::shared_ptr<FileDevice> device, bool erase_bad,
                                         const std::function<bool(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace kvantage
