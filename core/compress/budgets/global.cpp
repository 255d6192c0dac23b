#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// One budget for all heads of all layers together (KVzip, Kim et al. 2025): the lowest scores of the whole cache are
/// dropped. No head is protected: an unused one may keep next to nothing. Requires scores that are comparable across
/// layers, such as attention weights. layerwise: the same share of every layer, the lowest scores of its heads.
class GlobalBudget final : public Budget {
 public:
  explicit GlobalBudget(bool layerwise) : layerwise_(layerwise) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    if (layerwise_) return keep_in_layers(scores, removed_fraction);
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

 private:
  static std::vector<KeptIndices> keep_in_layers(const LayerScores& scores, double removed_fraction) {
    std::vector<KeptIndices> kept;
    for (const auto& layer : scores.layers) {
      std::vector<std::span<const float>> heads;
      for (const LayerScores::Head& head : layer) heads.emplace_back(head.scores);
      const auto all = static_cast<double>(heads.size() * scores.tokens());
      kept.push_back(drop_lowest(heads, static_cast<std::size_t>(all * removed_fraction)));
    }
    return kept;
  }

  bool layerwise_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_global(const Parameters& parameters) {
  const auto layerwise = parameters.word("layerwise", {"no", "yes"});
  if (!layerwise) return tl::unexpected(layerwise.error());
  return std::make_unique<GlobalBudget>(*layerwise == "yes");
}

}  // namespace kvantage::inline budgets
