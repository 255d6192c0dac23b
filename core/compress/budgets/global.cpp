#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// One budget for all heads of all layers together (KVzip, Kim et al. 2025): the lowest scores of the whole cache are
/// dropped. No head is protected: an unused one may keep next to nothing. Requires scores that are comparable across
/// layers, such as attention weights.
class GlobalBudget final : public Budget {
 public:
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<std::span<const float>> heads;
    for (const auto& layer : scores.layers)
      for (const LayerScores::Head& head : layer) heads.emplace_back(head.scores);
    const auto all = static_cast<double>(heads.size() * scores.tokens());
    KeptIndices flat = drop_lowest(heads, static_cast<std::size_t>(all * removed_fraction));
    std::vector<KeptIndices> kept;
    auto next = std::make_move_iterator(flat.begin());
    for (const auto& layer : scores.layers) {
      kept.emplace_back(next, next + static_cast<std::ptrdiff_t>(layer.size()));
      next += static_cast<std::ptrdiff_t>(layer.size());
    }
    return kept;
  }
  bool equal_heads() const override { return false; }
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_global(const Parameters&) { return std::make_unique<GlobalBudget>(); }

}  // namespace kvantage::inline budgets
