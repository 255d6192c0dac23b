// The model that tests run on: the default model, else the trial checkpoint beside the project.
#pragma once

#include <filesystem>

namespace kvantage::test {

inline std::filesystem::path source_directory() { return KVANTAGE_SOURCE_DIR; }
inline std::filesystem::path shared_data() { return source_directory().parent_path() / "shared" / "data"; }

/// Empty when there is neither: the test then skips and says so.
inline std::filesystem::path model_directory() {
  for (const auto& folder : {source_directory() / "resources" / "model", shared_data() / "models" / "trial-qa"})
    if (std::filesystem::exists(folder / "model.safetensors")) return folder;
  return {};
}

}  // namespace kvantage::test
