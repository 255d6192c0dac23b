// A store folder with the lifetime of the command: figures need only the recorded runs and curves, which are in the
// database. It is removed even after an interrupt; leftovers of a killed command are removed by the next one.
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

  /// Creates `base`/figure-PID. rejected_input on failure.
  Status make(const std::filesystem::path& base);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty: not created
};

}  // namespace kvantage::cli
