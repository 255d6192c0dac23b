// One writer per directory: an flock on a file in it. The lock belongs to the open file, so a killed process leaves no
// stale lock, whatever the file's content.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage::inline tiers {

class DirectoryLock {
 public:
  /// What is locked, and what its messages say.
  struct Use {
    const char* file = "store.lock";  // in the directory
    const char* what = "store";
    const char* by_this_process = "another tier of this process; give each its own folder";
    const char* advice = "wait for it, close it or give another folder with --store";
  };

  /// busy when another one, in this process or another, has the directory; io when it is not writable.
  static Expected<DirectoryLock> acquire(const std::filesystem::path& directory) { return acquire(directory, Use{}); }
  static Expected<DirectoryLock> acquire(const std::filesystem::path& directory, const Use& use);

 private:
  explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace kvantage::inline tiers
