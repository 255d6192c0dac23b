// A folder of stores that lives as long as the command: what figures need of one is their recorded runs and curves,
// which stand in the database. Interrupted or not, it goes; what a command that was killed left goes with the next one.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace kvantage::cli {

class TemporaryStore {
 public:
  TemporaryStore() = default;
  ~TemporaryStore();
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

  /// Makes `base`/figure-PID. rejected_input where that cannot be.
  Status make(const std::filesystem::path& base);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty: none was made
};

}  // namespace kvantage::cli
