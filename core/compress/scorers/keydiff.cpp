#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/compress/scorers/row_math.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// a[h] = mean over t of k[h,t]/||k[h,t]||;  s[h,t] = -cos(k[h,t], a[h]): keeps keys unlike the average key. Over the
/// whole context at once, as in kvpress; the paper works in blocks. The mean needs all keys before any score, so keys
/// are read twice; the second pass begins with those that the first one left in the cache.
class KeyDiff final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override {
    return score_heads(view, [&](std::size_t h, std::span<float> scores) {
      const HeadView& head = view.heads[h];
      std::vector<float> anchor(static_cast<std::size_t>(head.pool->shape().head_dim));
      key_norms(head, scores, anchor);  // the sum of unit keys has the direction of their mean
      const float length = std::sqrt(std::inner_product(anchor.begin(), anchor.end(), anchor.begin(), 0.0F));
      for (float& number : anchor) number /= -std::max(length, min_norm);
      key_cosines(head, anchor, scores);
    });
  }

 private:
  static constexpr float min_norm = 1e-8F;  // as in the definition of cosine similarity near 0
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_keydiff(const Parameters&) { return std::make_unique<KeyDiff>(); }

}  // namespace kvantage::inline scorers
