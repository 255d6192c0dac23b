// Locations of the bundled files.
#pragma once

#include <cstddef>
#include <filesystem>

namespace kvantage::inline wiring {

/// The folder that contains resources/ and sample_workloads/: $KVANTAGE_HOME, else the nearest one above the
/// executable, else the working directory.
std::filesystem::path home_directory();
/// Guide and references; empty: they are not there.
std::filesystem::path documentation_directory();
inline std::filesystem::path default_model_directory() { return home_directory() / "resources" / "model"; }
/// Maximum length of own-text contexts for it: it was trained on texts of 2,688 tokens including a question
/// (MODEL_CARD.md).
inline constexpr std::size_t default_model_context_tokens = 2560;
inline std::filesystem::path samples_directory() { return home_directory() / "sample_workloads"; }
inline std::filesystem::path quickstart_directory() { return samples_directory() / "quickstart"; }

}  // namespace kvantage::inline wiring
