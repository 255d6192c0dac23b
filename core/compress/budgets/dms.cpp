#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// Tokens whose score reaches a threshold, and the newest `window` of each head, at any removed fraction above 0
/// (Lancucki et al. 2025, with dense prefill as in kvpress DMSPress). How many stay depends on the context. Made for
/// scores with a meaning of their own, such as kvzap's.
class DmsBudget final : public Budget {
 public:
  DmsBudget(double threshold, std::size_t window) : threshold_(static_cast<float>(threshold)), window_(window) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    kept.reserve(scores.layers.size());
    for (const auto& heads : scores.layers) {
      KeptIndices& layer = kept.emplace_back(heads.size());
      for (std::size_t h = 0; h < heads.size(); ++h) {
        const std::vector<float>& of_head = heads[h].scores;
        for (std::size_t t = 0; t < of_head.size(); ++t)
          if (removed_fraction <= 0 || t + window_ >= of_head.size() || !(of_head[t] < threshold_))
            layer[h].push_back(static_cast<std::int32_t>(t));
      }
    }
    return kept;
  }
  bool equal_heads() const override { return false; }

 private:
  float threshold_;
  std::size_t window_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_dms(const Parameters& parameters) {
  KV_ASSIGN(const auto threshold, parameters.real("threshold", -1e9, 1e9));
  KV_ASSIGN(const auto window, parameters.integer("window", 1, 1'000'000));
  return std::make_unique<DmsBudget>(threshold, static_cast<std::size_t>(window));
}

}  // namespace kvantage::inline budgets
