// The folder of a worker's stores in the cache folder: removed with the worker, or, after a kill, by the next worker on
// that machine. Next to it is a file that the worker keeps locked; the lock ends with its process in any case.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace kvantage::cli {

class WorkerFolder {
 public:
  /// Removes leftovers of killed workers below `root`, then creates and locks root/name. busy when another process has
  /// it.
  static Expected<WorkerFolder> make(const std::filesystem::path& root, const std::string& name);
  ~WorkerFolder();
  WorkerFolder(WorkerFolder&&) = default;
  WorkerFolder& operator=(WorkerFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  WorkerFolder(std::filesystem::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace kvantage::cli
