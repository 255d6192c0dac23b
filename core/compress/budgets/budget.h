// How many tokens each layer and head may keep.
#pragma once

#include "core/compress/method.h"

namespace kvantage {

class Budget {
 public:
  virtual ~Budget() = default;
  virtual std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const = 0;
};

/// The same share of every head of every layer: kvpress ScorerPress.compress.
class UniformBudget final : public Budget {
 public:
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override;
};

/// Fills ranks from scores: larger scores first, equal ones by index, NaN last.
void rank(LayerScores::Head& head);

}  // namespace kvantage
