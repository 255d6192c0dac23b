// Published numbers of large models that do not run here, as data (resources/presets/*.json): bytes per token, time as
// a linear function of tokens for computing and for loading from each tier, bytes and quality under compression.
// Everything derived from them is simulated (`modelled`). Each file names its source and its substitutes for
// unpublished values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/simulator/cost_model.h"

namespace kvantage::inline simulator {

struct PresetTier {
  std::string name, idea;
  LoadLine line;
};

/// A storage form of a context; `tiers` where its loading has its own line.
struct PresetCandidate {
  std::string method;
  double removed_fraction = 0;  // of tokens
  double kept_bytes = 1;        // of the uncompressed cache
  std::vector<PresetTier> tiers;
};

/// Means over a data set; of candidates (in their order) where measured.
struct PresetQuality {
  std::string dataset, measure;
  double uncompressed = 1;
  std::vector<std::optional<double>> candidates;
};

/// Contexts that times were fitted to.
struct FittedTokens {
  double least = 0, most = 0;
};

struct SimulatorPreset {
  std::string name, model, source;
  double bytes_per_token = 0;
  std::optional<PrefillModel> prefill;  // nothing: no published times
  QuestionModel question;
  std::vector<PresetTier> tiers;  // fastest first
  std::vector<PresetCandidate> candidates;
  std::vector<PresetQuality> quality;
  std::optional<FittedTokens> fitted{};  // nothing: the source does not say

  /// Whether the line of computing an input is not above 0: the time counts as 0 there.
  bool counts_as_zero(double input_tokens) const;
  /// Whether times of an input are beyond what they were fitted to, or count as 0.
  bool is_beyond_fit(double input_tokens) const;
  const PresetTier* tier(std::string_view name) const;
  /// That of this data set, the first for "". rejected_input lists the available ones.
  Expected<const PresetQuality*> quality_of(std::string_view dataset) const;
};

/// rejected_input names file and field.
Expected<SimulatorPreset> read_preset(const std::filesystem::path& file);
/// All presets of a folder, by name.
Expected<std::vector<SimulatorPreset>> read_presets(const std::filesystem::path& folder);
/// usage error with a near miss.
Expected<SimulatorPreset> find_preset(const std::vector<SimulatorPreset>& presets, std::string_view name);

}  // namespace kvantage::inline simulator
