// The sentence embedder that set-up fetches; tests that need it skip where it is absent.
#pragma once

#include <filesystem>

#include "core/base/files.h"

namespace kvantage::test {

/// Empty when ./run has not fetched it.
inline std::filesystem::path embedding_directory() {
  const std::filesystem::path folder = cache_directory() / "all-minilm-l6-v2";
  return std::filesystem::exists(folder / "model.safetensors") ? folder : std::filesystem::path();
}

}  // namespace kvantage::test
