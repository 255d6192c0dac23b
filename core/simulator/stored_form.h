// A storage form of contexts, from a preset's numbers: bytes, load time and quality. Where the preset gives a form its
// own line (slope and base), that is used; otherwise the uncompressed line with the form's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/simulator/presets.h"

namespace kvantage::inline simulator {

/// A tier as configured for the simulator; `line` is that of uncompressed contexts.
struct PlannedTier {
  std::string name;
  std::uint64_t budget_bytes = 0;
  LoadLine line;
};

struct StoredForm {
  std::string method = "none";
  double removed_fraction = 0;                   // of tokens
  double kept_bytes = 1;                         // of the uncompressed entry
  double uncompressed_quality = 1, quality = 1;  // means over the data set
  bool between = false;                          // not measured: linearly interpolated
};

/// Seconds to load a form from a tier, by tokens of the context (before compression).
LoadLine line_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, std::size_t tier,
                 const PresetCandidate& form);

/// A cost model in which everything cached has this form.
CostModel costs_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, const PresetCandidate& form);

/// The form (method, removed fraction) with the preset's quality on a data set. usage error where it is neither
/// measured nor between two measured fractions of its method; it lists the available ones.
Expected<StoredForm> stored_form(const SimulatorPreset& preset, const std::string& dataset, const std::string& method,
                                 double removed_fraction);

/// Factor on a context's quality loss: log-normal of mean 1, `spread` the standard deviation of its logarithm.
double loss_factor(double spread, std::uint64_t seed, std::uint64_t context);
/// uncompressed - loss * factor, from 0 to 1.
double spread_quality(double uncompressed, double quality, double factor);

}  // namespace kvantage::inline simulator
