#include <numeric>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// What the scorer has chosen: tokens with a score above 0, at any removed fraction above 0.
class ChosenBudget final : public Budget {
 public:
  explicit ChosenBudget(bool equal_heads) : equal_heads_(equal_heads) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    kept.reserve(scores.layers.size());
    for (const auto& heads : scores.layers) {
      KeptIndices& layer = kept.emplace_back(heads.size());
      for (std::size_t h = 0; h < heads.size(); ++h)
        for (std::size_t t = 0; t < heads[h].scores.size(); ++t)
          if (removed_fraction <= 0 || heads[h].scores[t] > 0) layer[h].push_back(static_cast<std::int32_t>(t));
    }
    return kept;
  }
  bool equal_heads() const override { return equal_heads_; }

 private:
  bool equal_heads_;
};

}  // namespace

std::unique_ptr<Budget> make_chosen(bool equal_heads) { return std::make_unique<ChosenBudget>(equal_heads); }

}  // namespace kvantage::inline budgets
