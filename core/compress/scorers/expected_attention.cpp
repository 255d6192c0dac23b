#include <ATen/ATen.h>

#include <cmath>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Expected attention of future queries (Devoto et al. 2025). Queries before RoPE are modeled as normal with the mean
/// and covariance of the context's, rotated by the mean rotation R of the next `future` positions:
///   z[t] = k.mu'/sqrt(d) + k' Sigma' k/(2d);  p = softmax over t;  s = (mean over the group of p + epsilon) * ||v||
/// The first `sinks` tokens stay and are excluded from all sums.
class ExpectedAttention final : public Scorer {
 public:
  ExpectedAttention(int future, int sinks, double epsilon) : future_(future), sinks_(sinks), epsilon_(epsilon) {}
  ScorerNeeds needs() const override {
    return {.keys = true, .values = true, .positions = true, .window_queries = every_query};
  }

  at::Tensor score(const LayerView& view) const override {
    const std::int64_t sinks = std::min<std::int64_t>(sinks_, view.tokens - 1), dim = view.keys.size(2);
    const at::Tensor positions = view.positions[0].slice(0, sinks);
    const at::Tensor queries = before_rope(view.queries.slice(2, sinks), positions, view.frequencies);
    const at::Tensor mean = queries.mean(2, true);  // [kv_heads, group, 1, head_dim]
    const at::Tensor centerd = queries - mean;
    const at::Tensor covariance =
        at::matmul(centerd.transpose(2, 3), centerd) / static_cast<double>(view.tokens - sinks);
    const at::Tensor rotation = mean_rotation(view.tokens, view.frequencies);
    const at::Tensor mu = at::matmul(mean, rotation.t());
    const at::Tensor sigma = at::matmul(rotation, at::matmul(covariance, rotation.t()));
    const at::Tensor keys = view.keys.slice(1, sinks).unsqueeze(1);  // [kv_heads, 1, scored, head_dim]
    at::Tensor logits = at::matmul(keys, mu.transpose(2, 3)).squeeze(3) / std::sqrt(static_cast<double>(dim));
    logits += (at::matmul(keys, sigma) * keys).sum(3) / static_cast<double>(2 * dim);
    const at::Tensor expected = at::softmax(logits, -1).mean(1);
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    scores.slice(1, sinks).copy_((expected + epsilon_) * view.values.slice(1, sinks).norm(2, -1));
    if (sinks > 0) scores.slice(1, 0, sinks).fill_(scores.slice(1, sinks).max().item<float>() + 1);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return static_cast<std::size_t>(view.kv_heads * view.queries.size(1) * view.tokens) * sizeof(float);
  }

 private:
  /// Mean over the future positions of the matrix that rotates a query to its position: [head_dim, head_dim].
  at::Tensor mean_rotation(int tokens, const at::Tensor& frequencies) const {
    const at::Tensor angles = at::arange(tokens, tokens + future_, at::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
    const at::Tensor cosines = angles.cos().mean(0), sines = angles.sin().mean(0);
    return at::cat(
        {at::cat({at::diag(cosines), at::diag(-sines)}, 1), at::cat({at::diag(sines), at::diag(cosines)}, 1)}, 0);
  }

  int future_, sinks_;
  double epsilon_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_expected_attention(const Parameters& parameters) {
  KV_ASSIGN(const auto future, parameters.integer("future", 1, 1'000'000));
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(const auto epsilon, parameters.real("epsilon", 0, 1e6));
  return std::make_unique<ExpectedAttention>(future, sinks, epsilon);
}

}  // namespace kvantage::inline scorers
