// Folders of kvpress evaluations; see read_foreign.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/imported/read_foreign.h"

namespace kvantage::inline imported {

struct EvaluationName {
  std::string dataset, model, press;
  double removed_fraction = 0;  // of tokens; kvpress writes it as its compression ratio
};

/// Of a folder's name; nothing where it is not of that form.
std::optional<EvaluationName> evaluation_name(std::string_view folder);
/// Our text form of a press of its registry: "adakv_snapkv" is adakv(snapkv), "no_press" is none; others keep theirs.
std::string method_of_press(std::string_view press);

/// All evaluations below a folder, at most so deep; points of each task and the mean over them.
inline constexpr int max_evaluation_depth = 4;
inline constexpr std::size_t max_evaluations = 10'000;
Expected<ImportedProfile> read_evaluations(const std::filesystem::path& folder, const ForeignOptions& options);

}  // namespace kvantage::inline imported
