// What a power cut could undo: old contents of blocks and old names of files, kept until they are flushed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/ports/file_device.h"

namespace kvantage {

class UnflushedLog {
 public:
  explicit UnflushedLog(std::shared_ptr<FileDevice> inner) : inner_(std::move(inner)) {}

  /// Before bytes [offset, offset + bytes) of `file` are overwritten.
  Status before_write(const std::filesystem::path& path, DeviceFile& file, std::uint64_t offset, std::uint64_t bytes);
  void after_create(const std::filesystem::path& path);
  void after_rename(const std::filesystem::path& from, const std::filesystem::path& to);
  /// Removes the file for real only when the directory is flushed.
  Status remove(const std::filesystem::path& path);
  void file_flushed(const std::filesystem::path& path);
  Status directory_flushed(const std::filesystem::path& directory);
  /// Undoes what a power cut takes: any blocks, and a suffix of the changes of names.
  Status lose(Random& random);
  /// Names that exist only for undoing a removal.
  static bool is_hidden(const std::filesystem::path& path);

 private:
  struct Block {
    std::uint64_t offset = 0;
    std::vector<std::byte> old_bytes;  // empty: was beyond the end
  };
  struct FileChanges {
    std::uint64_t old_size = 0;
    std::vector<Block> blocks;  // in order of writing
  };
  enum class NameChange { created, renamed, removed };
  struct Change {
    NameChange kind = NameChange::created;
    std::filesystem::path path;   // created or removed; the new name of a renamed one
    std::filesystem::path other;  // the old name; where a removed one hides
  };

  Status undo(const Change& change);

  std::shared_ptr<FileDevice> inner_;
  std::map<std::filesystem::path, FileChanges> files_;
  std::vector<Change> changes_;
  std::uint64_t hidden_count_ = 0;
};

}  // namespace kvantage
