// A form in which contexts are stored, by the figures of a preset: bytes, time to load and quality. Where the preset
// gives lines of its own for a form, slope and base, these count; elsewhere a form follows the uncompressed line with
// its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/simulator/presets.h"

namespace kvantage {

/// A tier as the simulator is given it; `line` is that of uncompressed contexts.
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
  bool between = false;                          // not measured: on a straight line between its neighbors
};

/// Seconds by tokens of the context (before compression) to load a form from a tier.
LoadLine line_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, std::size_t tier,
                 const PresetCandidate& form);

/// A model of costs in which all that is held is held in this form.
CostModel costs_of(const SimulatorPreset& preset, const std::vector<PlannedTier>& tiers, const PresetCandidate& form);

/// The form (method, removed fraction) by the preset's quality of a data set. usage error where it is neither measured
/// nor between two measured fractions of its method; what there is stands in it.
Expected<StoredForm> stored_form(const SimulatorPreset& preset, const std::string& dataset, const std::string& method,
                                 double removed_fraction);

/// What a context's loss of quality is multiplied by: log-normal of mean 1, `spread` the deviation of its logarithm.
double loss_factor(double spread, std::uint64_t seed, std::uint64_t context);
/// uncompressed - loss * factor, from 0 to 1.
double spread_quality(double uncompressed, double quality, double factor);

}  // namespace kvantage
