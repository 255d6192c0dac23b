#include <algorithm>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// A fixed number of tokens per head instead of a share, as in papers on generation. Any removed fraction above 0 keeps
/// that many; 0 keeps everything.
class AbsoluteBudget final : public Budget {
 public:
  explicit AbsoluteBudget(std::size_t tokens) : tokens_(tokens) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    const std::size_t count = removed_fraction > 0 ? std::min(tokens_, scores.tokens()) : scores.tokens();
    std::vector<KeptIndices> kept;
    for (const auto& heads : scores.layers) kept.push_back(best_of_each_head(heads, count));
    return kept;
  }

 private:
  std::size_t tokens_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_absolute(const Parameters& parameters) {
  KV_ASSIGN(const auto tokens, parameters.integer("tokens", 1, 100'000'000));
  return std::make_unique<AbsoluteBudget>(static_cast<std::size_t>(tokens));
}

}  // namespace kvantage::inline budgets
