// Where the files that ship with the program are.
#pragma once

#include <filesystem>

namespace kvantage {

/// The folder that holds resources/ and sample_workloads/: $KVANTAGE_HOME, else the nearest one above the executable,
/// else the present folder.
std::filesystem::path home_directory();
inline std::filesystem::path default_model_directory() { return home_directory() / "resources" / "model"; }
inline std::filesystem::path samples_directory() { return home_directory() / "sample_workloads"; }
inline std::filesystem::path quickstart_directory() { return samples_directory() / "quickstart"; }

}  // namespace kvantage
