#include <algorithm>

#include "core/compress/scorers/row_math.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// s[t] = ||v[t]|| / ||k[t]|| (Chitty-Venkata et al. 2025, Algorithm 1, for the prompt; while decoding whole pages are
/// evicted, see core/compress/decode).
class PagedEvictionScore final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override {
    return score_heads(view, [&](std::size_t h, std::span<float> scores) {
      std::vector<float> keys(scores.size());
      key_norms(view.heads[h], keys);
      value_norms(view.heads[h], scores);
      for (std::size_t t = 0; t < scores.size(); ++t) scores[t] /= std::max(keys[t], 1e-12F);
    });
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_paged_eviction(const Parameters&) {
  return std::make_unique<PagedEvictionScore>();
}

}  // namespace kvantage::inline scorers
