// The quick-start workload under the session file that it shipped with until it had codecs among its candidates: what
// was claimed of runs under it stays claimed.
#pragma once

#include <filesystem>

#include "tests/support/test_model.h"

namespace kvantage::test {

/// Copies the workload into `parent`/quickstart, which is made, with tests/goldens/sessions/quickstart.json in place of
/// its own session; that folder.
inline std::filesystem::path old_quickstart(const std::filesystem::path& parent) {
  const std::filesystem::path folder = parent / "quickstart";
  std::filesystem::create_directories(parent);
  std::filesystem::copy(source_directory() / "sample_workloads" / "quickstart", folder);
  std::filesystem::copy_file(source_directory() / "tests" / "goldens" / "sessions" / "quickstart.json",
                             folder / "session.json", std::filesystem::copy_options::overwrite_existing);
  return folder;
}

}  // namespace kvantage::test
