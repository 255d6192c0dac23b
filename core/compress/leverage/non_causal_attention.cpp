#include <ATen/ATen.h>

#include <algorithm>

#include "core/compress/leverage/leverage.h"

namespace kvantage::inline leverage_scorers {
namespace {

/// Rows [.., tokens, head_dim] and zeros behind them.
at::Tensor padded_rows(const at::Tensor& rows, std::int64_t more) {
  auto shape = rows.sizes().vec();
  shape[shape.size() - 2] = more;
  return at::cat({rows, at::zeros(shape)}, -2);
}

/// The part of Compactor that looks at attention (Chari and Van Durme 2025), as in kvpress.
class NonCausalAttention final : public Scorer {
 public:
  explicit NonCausalAttention(int chunk) : chunk_(chunk) {}
  ScorerNeeds needs() const override { return {.keys = true, .values = true, .window_queries = every_query}; }
  at::Tensor score(const LayerView& view) const override {
    return non_causal_scores(view.queries, view.keys, view.values, chunk_);
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override { return non_causal_bytes(view, chunk_); }

 private:
  int chunk_;
};

}  // namespace

// kvpress pads the last chunk to its full length: a padded key has logit 0 and so takes its share of every query, a
// padded query pays every key alike.
at::Tensor non_causal_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             std::int64_t chunk) {
  const std::int64_t heads = keys.size(0), tokens = keys.size(1);
  at::Tensor paid = at::empty({heads, tokens});
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t first = 0; first < tokens; first += chunk) {
      const std::int64_t count = std::min(chunk, tokens - first);
      at::Tensor q = queries[h].slice(1, first, first + count), k = keys[h].slice(0, first, first + count);
      if (count < chunk) {
        q = padded_rows(q, chunk - count);
        k = padded_rows(k, chunk - count);
      }
      const at::Tensor attention = at::softmax(at::matmul(q, k.t()), -1);  // [group, chunk, chunk]
      paid[h].slice(0, first, first + count).copy_(attention.sum(1).mean(0).slice(0, 0, count));
    }
  const at::Tensor weighted = (paid * values.norm(2, -1)).unsqueeze(1);
  return z_scores(at::avg_pool1d(weighted, 3, 1, 1).squeeze(1));
}

std::size_t non_causal_bytes(const LayerView& view, int chunk) {
  return static_cast<std::size_t>(view.queries.size(1)) * static_cast<std::size_t>(chunk) *
         static_cast<std::size_t>(chunk) * sizeof(float);
}

Expected<std::unique_ptr<Scorer>> make_non_causal_attention(const Parameters& parameters) {
  KV_ASSIGN(const auto chunk, parameters.integer("chunk", 1, 4096));
  return std::make_unique<NonCausalAttention>(chunk);
}

}  // namespace kvantage::inline leverage_scorers
