#include <algorithm>
#include <cmath>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// One budget shared by all heads of a layer (Feng et al. 2024, counted as in kvpress AdaKVPress): the layer's lowest
/// scores are dropped, regardless of head. The best `safeguard` percent of an equal share are kept in each head. Heads
/// keep different numbers of tokens, and the bytes of dropped rows are freed.
class AdaBudget final : public Budget {
 public:
  explicit AdaBudget(int safeguard_percent) : safeguard_(safeguard_percent / 100.0) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    const std::size_t tokens = scores.tokens(), share = kept_tokens(tokens, removed_fraction);
    auto safe = static_cast<std::size_t>(static_cast<double>(share) * safeguard_);
    if (safeguard_ > 0) safe = std::max<std::size_t>(safe, 1);
    std::vector<KeptIndices> kept;
    for (const auto& heads : scores.layers) {
      std::vector<std::vector<float>> guarded;
      for (const LayerScores::Head& head : heads) {
        guarded.push_back(head.scores);
        for (std::size_t t = 0; t < tokens; ++t)
          if (static_cast<std::size_t>(head.ranks[t]) < safe) guarded.back()[t] = HUGE_VALF;
      }
      kept.push_back(drop_lowest({guarded.begin(), guarded.end()}, heads.size() * (tokens - share)));
    }
    return kept;
  }
  bool equal_heads() const override { return false; }

 private:
  double safeguard_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_adakv(const Parameters& parameters) {
  KV_ASSIGN(const auto safeguard, parameters.integer("safeguard", 0, 100));
  return std::make_unique<AdaBudget>(safeguard);
}

}  // namespace kvantage::inline budgets
