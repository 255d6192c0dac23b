// The entries of a store's folders as its index has them, read by SQLite itself and not by the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "tests/support/database_rows.h"

namespace kvantage::test {

/// The bytes of an entry, after the store header, and whether the checksum fits (docs/file-formats.md).
struct StoredFile {
  std::string bytes;
  bool whole = false;
};

/// Entries of all file tiers under a store, by "folder key".
inline std::map<std::string, StoredFile> stored_files(const std::filesystem::path& store) {
  std::map<std::string, StoredFile> files;
  for (const auto& item : std::filesystem::recursive_directory_iterator(store)) {
    if (item.path().filename() != "index.sqlite") continue;
    const auto rows = rows_of(
        item.path(),
        "SELECT printf('%016x%016x', key_high, key_low), printf('segment-%08d.kvsegment', segment), offset, bytes,"
        " entry_checksum, length(CAST(label AS BLOB)) FROM entries");
    for (const auto& row : rows) {
      const std::string content = read_text_file(item.path().parent_path() / row[1]).value();
      const std::size_t header = (80 + std::stoull(row[5]) + 8 + 4095) / 4096 * 4096;
      StoredFile file;
      if (const std::size_t begin = std::stoull(row[2]) + header, length = std::stoull(row[3]);
          begin + length <= content.size()) {
        file.bytes = content.substr(begin, length);
        file.whole = static_cast<std::int64_t>(checksum_of(std::as_bytes(std::span(file.bytes)))) == std::stoll(row[4]);
      }
      files[item.path().parent_path().filename().string() + " " + row[0]] = std::move(file);
    }
  }
  return files;
}

}  // namespace kvantage::test
