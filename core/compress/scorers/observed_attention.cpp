#include <ATen/ATen.h>

#include "core/compress/scorers/column_sums.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// s[t] = mean over the group of (sum over queries i of A[i,t]) / (S - t): the attention that a token got, over the
/// queries that could see it (kvpress ObservedAttentionPress). No recent window, no update while decoding.
class ObservedAttention final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = every_query}; }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor scores = at::zeros({view.kv_heads, view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h)
      for_attention_blocks(view.queries[h], view.keys[h], [&](std::int64_t, const at::Tensor& attention) {
        scores[h].slice(0, 0, attention.size(2)) += attention.sum(1).mean(0);
      });
    return scores / at::arange(view.tokens, 0, -1, at::kFloat);
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return attention_block_bytes(view.tokens, view.queries.size(1));
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_observed_attention(const Parameters&) {
  return std::make_unique<ObservedAttention>();
}

}  // namespace kvantage::inline scorers
