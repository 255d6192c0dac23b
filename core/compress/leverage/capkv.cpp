#include <ATen/ATen.h>

#include <algorithm>

#include "core/compress/leverage/leverage.h"

namespace kvantage::inline leverage_scorers {
namespace {

/// Capacity of the kept values (CapKV, as in kvpress). mu is the mean query behind the first `sinks` tokens before
/// RoPE, turned by the mean rotation of the next `future` positions:
///   w[t] = exp(tau (cos(k_t, mu) - max over t));  A = I + sum over t of (w[t] + epsilon) v_t v_t'
///   s[t] = mean over the group of w[t] v_t' A^-1 v_t;  the sinks get max(s) + 1
class CapKv final : public Scorer {
 public:
  CapKv(double tau, int future, int sinks, double epsilon)
      : tau_(tau), future_(future), sinks_(sinks), epsilon_(epsilon) {}
  ScorerNeeds needs() const override {
    return {.keys = true, .values = true, .positions = true, .window_queries = every_query};
  }
  at::Tensor score(const LayerView& view) const override {
    const std::int64_t sinks = std::min<std::int64_t>(sinks_, view.tokens - 1), dim = view.keys.size(2);
    const at::Tensor plain =
        before_rope(view.queries.slice(2, sinks), view.positions[0].slice(0, sinks), view.frequencies);
    const at::Tensor mean = plain.mean(2);  // [kv_heads, group, head_dim]
    const at::Tensor anchors = unit(at::matmul(mean, mean_rotation(view.tokens, future_, view.frequencies).t()));
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor keys = unit(view.keys[h].slice(0, sinks)),
                       values = view.values[h].slice(0, sinks).to(at::kDouble);
      const at::Tensor aligned = at::matmul(anchors[h], keys.t()).clamp(-1.0, 1.0) * tau_;  // [group, scored]
      const at::Tensor weights = (aligned - aligned.amax(-1, true)).exp().to(at::kDouble);
      at::Tensor sum = at::zeros({values.size(0)}, at::kDouble);
      for (std::int64_t g = 0; g < weights.size(0); ++g) {
        const at::Tensor scaled = values * (weights[g] + epsilon_).sqrt().unsqueeze(1);
        const at::Tensor inverse = inverse_of(at::eye(dim, at::kDouble) + at::matmul(scaled.t(), scaled));
        sum += weights[g] * (at::matmul(values, inverse) * values).sum(1);
      }
      scores[h].slice(0, sinks).copy_(sum / static_cast<double>(weights.size(0)));
    }
    if (sinks > 0) scores.slice(1, 0, sinks).fill_(scores.slice(1, sinks).max().item<float>() + 1);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    // Alignments and weights of one KV head's query heads.
    return static_cast<std::size_t>(view.queries.size(1) * view.tokens) * (sizeof(float) + sizeof(double));
  }

 private:
  static at::Tensor unit(const at::Tensor& rows) { return rows / rows.norm(2, -1, true).clamp_min(1e-12); }

  double tau_;
  int future_, sinks_;
  double epsilon_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_capkv(const Parameters& parameters) {
  KV_ASSIGN(const auto tau, parameters.real("tau", 0, 1000));
  KV_ASSIGN(const auto future, parameters.integer("future", 1, 1'000'000));
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(const auto epsilon, parameters.real("epsilon", 0, 1));
  return std::make_unique<CapKv>(tau, future, sinks, epsilon);
}

}  // namespace kvantage::inline leverage_scorers
