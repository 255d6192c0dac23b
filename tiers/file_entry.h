// An entry in a file of its own, and the names of such files.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/ports/file_device.h"
#include "tiers/entry_store.h"
#include "tiers/mapped_memory.h"
#include "tiers/store_header.h"

namespace kvantage {

class FileEntry final : public StoredEntry {
 public:
  FileEntry(StoreHeader header, std::shared_ptr<FileDevice> device, std::filesystem::path path)
      : StoredEntry(header.info), header_(std::move(header)), device_(std::move(device)), path_(std::move(path)) {}
  ~FileEntry() override {
    if (retired_) (void)device_->remove(path_);  // if it fails, the next opening finds the file again
  }

  std::uint64_t sequence() const override { return header_.sequence; }
  std::uint64_t overhead_bytes() const override { return file_bytes(header_) - info().bytes; }
  void retire() override { retired_ = true; }

  const StoreHeader& header() const { return header_; }
  const std::filesystem::path& path() const { return path_; }
  /// Where the entry begins in its file.
  std::uint64_t data_offset() const { return store_header_bytes(header_.info.label.size()); }

  static std::uint64_t file_bytes(const StoreHeader& header) {
    return store_header_bytes(header.info.label.size()) + round_up_to_page(header.info.bytes);
  }

 private:
  StoreHeader header_;
  std::shared_ptr<FileDevice> device_;
  std::filesystem::path path_;
  std::atomic<bool> retired_{false};
};

/// "KEY-SEQUENCE.kventry"; with ".part" behind it while being written.
std::string entry_file_name(const Digest128& key, std::uint64_t sequence);
inline constexpr const char* part_suffix = ".part";

struct EntryFileName {
  Digest128 key;
  std::uint64_t sequence = 0;
  bool part = false;
};
/// Nothing for any other name: files of others are left alone.
std::optional<EntryFileName> parse_entry_file_name(const std::string& name);

}  // namespace kvantage
