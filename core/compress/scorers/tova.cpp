#include <ATen/ATen.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Attention of the last token, mean over all query heads, the same for every KV head (Oren et al. 2024); the last
/// token itself stays: max(s) + 1, as in kvpress.
class Tova final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = 1}; }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor sum = at::zeros({view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h)
      sum +=
          window_attention(view.queries[h].slice(1, view.queries.size(2) - 1), view.keys[h]).sum(at::IntArrayRef{0, 1});
    at::Tensor scores = sum / static_cast<double>(view.kv_heads * view.queries.size(1));
    const std::int64_t last = view.tokens - 1;
    scores[last] = last > 0 ? scores.slice(0, 0, last).max().item<float>() + 1 : 1.0F;
    return scores.expand({view.kv_heads, view.tokens}).clone();
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return static_cast<std::size_t>(view.tokens * view.queries.size(1)) * sizeof(float);
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_tova(const Parameters&) { return std::make_unique<Tova>(); }

}  // namespace kvantage::inline scorers
