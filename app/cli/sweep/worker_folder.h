// The folder of a worker's stores in the cache folder: gone with the worker, and where the worker was killed, with the
// next one on that machine. Beside it lies a file that the worker holds locked; a lock ends with its process whatever
// becomes of it.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "tiers/unique_fd.h"

namespace kvantage::cli {

class WorkerFolder {
 public:
  /// Removes what killed workers left below `root`, then makes and holds root/name. busy when another process has it.
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
