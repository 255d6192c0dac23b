// Undo log for power cuts: old contents of blocks and old names of files, kept until they are flushed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/ports/file_device.h"

namespace kvantage::inline tiers {

class UnflushedLog {
 public:
  explicit UnflushedLog(std::shared_ptr<FileDevice> inner) : inner_(std::move(inner)) {}

  /// Call before bytes [offset, offset + bytes) of `file` are overwritten.
  Status before_write(const std::filesystem::path& path, DeviceFile& file, std::uint64_t offset, std::uint64_t bytes);
  /// Call before `file` is truncated or extended to `bytes`.
  Status before_resize(const std::filesystem::path& path, DeviceFile& file, std::uint64_t bytes);
  void after_create(const std::filesystem::path& path);
  void after_rename(const std::filesystem::path& from, const std::filesystem::path& to);
  /// Physically removes the file only when the directory is flushed.
  Status remove(const std::filesystem::path& path);
  void file_flushed(const std::filesystem::path& path);
  Status directory_flushed(const std::filesystem::path& directory);
  /// Undoes what a power cut loses: any blocks, a suffix of each file's size changes with the truncated bytes, and a
  /// suffix of the name changes.
  Status lose(Random& random);
  /// Names that exist only for undoing a removal.
  static bool is_hidden(const std::filesystem::path& path);

 private:
  struct Block {
    std::uint64_t offset = 0;
    std::vector<std::byte> old_bytes;        // empty: was past the end
    std::optional<std::size_t> cut_by = {};  // the size change that removed it; else it was overwritten
  };
  struct FileChanges {
    std::vector<std::uint64_t> sizes;  // before each change of size, in order
    std::vector<Block> blocks;         // in order of writing
  };
  enum class NameChange { created, renamed, removed };
  struct Change {
    NameChange kind = NameChange::created;
    std::filesystem::path path;   // created or removed; the new name of a renamed one
    std::filesystem::path other;  // the old name; for a removed one its hidden name
  };

  static Expected<std::vector<Block>> contents(DeviceFile& file, std::uint64_t begin, std::uint64_t end,
                                               std::uint64_t size);
  Status lose_of(const std::filesystem::path& path, const FileChanges& changes, Random& random);
  Status undo(const Change& change);

  std::shared_ptr<FileDevice> inner_;
  std::map<std::filesystem::path, FileChanges> files_;
  std::vector<Change> changes_;
  std::uint64_t hidden_count_ = 0;
};

}  // namespace kvantage::inline tiers
