// What is in a store's folders, as its index has it and as its segments have it, read by SQLite itself and not by the
// program (docs/file-formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/base/digest.h"
#include "tests/support/database_rows.h"

namespace kvantage::test {

/// The bytes of an entry, after the store header, and whether the checksum fits.
struct StoredFile {
  std::string bytes;
  bool whole = false;
};

/// The segments of a folder by name, each read once.
class SegmentFiles {
 public:
  explicit SegmentFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Empty where there is none.
  const std::string& content(const std::string& name) {
    const auto [at, is_new] = contents_.try_emplace(name);
    if (!is_new) return at->second;
    std::ifstream file(folder_ / name, std::ios::binary);
    at->second.assign(std::istreambuf_iterator<char>(file), {});
    return at->second;
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& item : std::filesystem::directory_iterator(folder_))
      if (item.path().extension() == ".kvsegment") found.insert(item.path().filename().string());
    return found;
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> contents_;
};

/// A row of a folder's index.
struct IndexedEntry {
  std::string key, segment;
  std::size_t offset = 0, header_bytes = 0, bytes = 0;  // the store header, then the entry
  std::int64_t checksum = 0;
};

inline constexpr std::size_t store_page_bytes = 4096;
inline std::size_t whole_pages(std::size_t bytes) {
  return (bytes + store_page_bytes - 1) / store_page_bytes * store_page_bytes;
}

inline std::vector<IndexedEntry> indexed_entries(const std::filesystem::path& index) {
  std::vector<IndexedEntry> entries;
  for (const auto& row :
       rows_of(index,
               "SELECT printf('%016x%016x', key_high, key_low), printf('segment-%08d.kvsegment', segment), offset,"
               " bytes, entry_checksum, length(CAST(label AS BLOB)) FROM entries"))
    entries.push_back({row[0], row[1], std::stoull(row[2]), whole_pages(80 + std::stoull(row[5]) + 8),
                       std::stoull(row[3]), std::stoll(row[4])});
  return entries;
}

/// Calls visit(folder, rows of its index) for each folder of a file tier under a store.
template <class Visit>
void for_each_folder(const std::filesystem::path& store, const Visit& visit) {
  for (const auto& item : std::filesystem::recursive_directory_iterator(store))
    if (item.path().filename() == "index.sqlite") visit(item.path().parent_path(), indexed_entries(item.path()));
}

/// Entries of all file tiers under a store, by "folder key".
inline std::map<std::string, StoredFile> stored_files(const std::filesystem::path& store) {
  std::map<std::string, StoredFile> files;
  for_each_folder(store, [&](const std::filesystem::path& folder, const std::vector<IndexedEntry>& entries) {
    SegmentFiles segments(folder);
    for (const IndexedEntry& entry : entries) {
      const std::string& content = segments.content(entry.segment);
      StoredFile file;
      if (const std::size_t begin = entry.offset + entry.header_bytes; begin + entry.bytes <= content.size()) {
        file.bytes = content.substr(begin, entry.bytes);
        file.whole = static_cast<std::int64_t>(checksum_of(std::as_bytes(std::span(file.bytes)))) == entry.checksum;
      }
      files[folder.filename().string() + " " + entry.key] = std::move(file);
    }
  });
  return files;
}

/// Store headers of which no index has a row, each as "folder segment offset" and its first 80 bytes: of entries whose
/// write or move was cut short. They may stay until their space is used.
inline std::set<std::string> unindexed_headers(const std::filesystem::path& store) {
  std::set<std::string> headers;
  for_each_folder(store, [&](const std::filesystem::path& folder, const std::vector<IndexedEntry>& entries) {
    SegmentFiles segments(folder);
    for (const std::string& name : segments.names()) {
      std::map<std::size_t, std::size_t> taken;  // begin -> end
      for (const IndexedEntry& entry : entries)
        if (entry.segment == name) taken[entry.offset] = entry.offset + entry.header_bytes + whole_pages(entry.bytes);
      const std::string& content = segments.content(name);
      for (std::size_t at = 0; at + store_page_bytes <= content.size();) {
        if (const auto entry = taken.find(at); entry != taken.end()) {
          at = entry->second;
          continue;
        }
        if (std::string_view(content).substr(at, 8) == "KVSTORE1")
          headers.insert(folder.filename().string() + " " + name + " " + std::to_string(at) + " " +
                         content.substr(at, 80));
        at += store_page_bytes;
      }
    }
  });
  return headers;
}

}  // namespace kvantage::test
