// Where the files that ship with the program are.
#pragma once

#include <cstddef>
#include <filesystem>

namespace kvantage {

/// The folder that holds resources/ and sample_workloads/: $KVANTAGE_HOME, else the nearest one above the executable,
/// else the present folder.
std::filesystem::path home_directory();
inline std::filesystem::path default_model_directory() { return home_directory() / "resources" / "model"; }
/// Longest context of own texts for it: it was trained on whole texts of 2,688 tokens (MODEL_CARD.md), a question among
/// them.
inline constexpr std::size_t default_model_context_tokens = 2560;
inline std::filesystem::path samples_directory() { return home_directory() / "sample_workloads"; }
inline std::filesystem::path quickstart_directory() { return samples_directory() / "quickstart"; }

}  // namespace kvantage
