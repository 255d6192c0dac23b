#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// The same share for every head of every layer (kvpress ScorerPress.compress).
class UniformBudget final : public Budget {
 public:
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    for (const auto& heads : scores.layers)
      kept.push_back(best_of_each_head(heads, kept_tokens(scores.tokens(), removed_fraction)));
    return kept;
  }
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_uniform(const Parameters&) { return std::make_unique<UniformBudget>(); }

}  // namespace kvantage::inline budgets
