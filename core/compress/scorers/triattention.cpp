#include <ATen/ATen.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Geometry of queries and keys before RoPE (Mao et al. 2026), with q_f, k_f their complex pairs, omega_f the rotation
/// and D = now - position + delta the distance after delta more tokens:
///   s[t] = mean over delta of sum over f of |E q_f||k_f| cos(omega_f D + arg(E q_f conj k_f))
///          + sum over f of (E|q_f| - |E q_f|) |k_f|;  delta = 1, 2, 4, .., 65536
/// The means E come from a calibration text; the largest over the group counts. Attention is not used.
class TriAttention final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true, .positions = true, .calibration = true}; }
  at::Tensor score(const LayerView& view) const override {
    constexpr int doublings = 17;
    const std::int64_t half = view.keys.size(2) / 2;
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor plain = before_rope(view.keys[h], view.positions[h], view.frequencies);
      const at::Tensor key = at::complex(plain.slice(1, 0, half).contiguous(), plain.slice(1, half).contiguous());
      const at::Tensor product = view.mean_queries[h].unsqueeze(1) * key.conj().unsqueeze(0);  // [group, tokens, half]
      const at::Tensor distance = (view.sequence_length - view.positions[h]).to(at::kDouble);
      at::Tensor cosines = at::zeros({view.tokens, half}), sines = at::zeros({view.tokens, half});
      for (int d = 0; d < doublings; ++d) {
        const at::Tensor angle =
            (distance + static_cast<double>(1 << d)).unsqueeze(1) * view.frequencies.to(at::kDouble);
        cosines += angle.cos().to(at::kFloat);
        sines += angle.sin().to(at::kFloat);
      }
      // |p| cos(x + arg p) = Re p cos x - Im p sin x
      at::Tensor per_query = (at::real(product) * cosines - at::imag(product) * sines).sum(2) / doublings;
      const at::Tensor spread = view.mean_magnitudes[h] - view.mean_queries[h].abs();  // [group, half]
      per_query += at::matmul(spread, key.abs().t());
      scores[h].copy_(per_query.amax(0));
    }
    return scores;
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_triattention(const Parameters&) { return std::make_unique<TriAttention>(); }

}  // namespace kvantage::inline scorers
