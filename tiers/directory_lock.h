// One writer per directory: an flock on a file in it. The lock belongs to the open file, so a killed process leaves no
// stale lock, whatever the file's content.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline tiers {

class DirectoryLock {
 public:
  static constexpr const char* file_name = "store.lock";

  /// busy when another store, in this process or another, has the directory; io when it is not writable.
  static Expected<DirectoryLock> acquire(const std::filesystem::path& directory);

 private:
  explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kvantage::inline tiers
