// Locations of the bundled files.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace kvantage::inline wiring {

/// The folder that contains resources/ and sample_workloads/: $KVANTAGE_HOME, else the nearest one above the
/// executable, else the working directory.
std::filesystem::path program_home();
/// Guide and references; empty: they are not there.
std::filesystem::path documentation_directory();

/// A model that is shipped; its MODEL_CARD.md says what it is.
struct ShippedModel {
  std::string_view name;       // for --model, and in records
  std::string_view folder;     // in resources/
  std::size_t context_tokens;  // maximum length of own-text contexts: what it was trained on, with room for a question
  std::string_view note = {};  // what a ranking of methods on it must say
};
inline constexpr std::array<ShippedModel, 2> shipped_models{
    {{.name = "default model", .folder = "model", .context_tokens = 2560},
     {.name = "reference-mha",
      .folder = "reference-mha",
      .context_tokens = 7680,
      .note = "on reference-mha, knorm and paged_eviction work by construction: training taught its key norms which "
              "tokens get attention"}}};
std::filesystem::path directory_of(const ShippedModel& model);
inline std::filesystem::path default_model_directory() { return directory_of(shipped_models[0]); }
/// The folder of the model of that name that ships, unless there is such a path; otherwise `named`.
std::filesystem::path model_path(const std::filesystem::path& named);
/// Null: none is there.
const ShippedModel* shipped_model_at(const std::filesystem::path& folder);

inline std::filesystem::path samples_directory() { return program_home() / "sample_workloads"; }
inline std::filesystem::path quickstart_directory() { return samples_directory() / "quickstart"; }

}  // namespace kvantage::inline wiring
