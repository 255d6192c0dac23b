#include "core/compress/budgets/budget.h"

#include <cmath>
#include <numeric>

namespace kvantage {

void rank(LayerScores::Head& head) {
  std::vector<std::int32_t> order(head.scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&head](std::int32_t token) {
    const float value = head.scores[static_cast<std::size_t>(token)];
    return std::isnan(value) ? -HUGE_VALF : value;
  };
  std::ranges::stable_sort(order, [&score](std::int32_t a, std::int32_t b) { return score(a) > score(b); });
  head.ranks.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    head.ranks[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
}

std::vector<KeptIndices> UniformBudget::keep(const LayerScores& scores, double removed_fraction) const {
  std::vector<KeptIndices> kept;
  for (const auto& heads : scores.layers) {
    KeptIndices& layer = kept.emplace_back();
    for (const LayerScores::Head& head : heads) {
      const std::size_t count = kept_tokens(head.ranks.size(), removed_fraction);
      std::vector<std::int32_t>& indices = layer.emplace_back();
      indices.reserve(count);
      for (std::size_t t = 0; t < head.ranks.size(); ++t)
        if (static_cast<std::size_t>(head.ranks[t]) < count) indices.push_back(static_cast<std::int32_t>(t));
    }
  }
  return kept;
}

}  // namespace kvantage
