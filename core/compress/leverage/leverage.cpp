#include "core/compress/leverage/leverage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"

namespace kvantage::inline leverage_scorers {

at::Tensor leverage_scores(const at::Tensor& keys, int sketch, int seed, int layer) {
  const std::int64_t heads = keys.size(0), dim = keys.size(2);
  Random random(derive_seed(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(layer)));
  const at::Tensor drawn = at::empty({heads, dim, sketch}, at::kDouble);
  auto* const number = drawn.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) number[i] = random.normal() / std::sqrt(static_cast<double>(sketch));
  const at::Tensor exact = keys.to(at::kDouble);
  const at::Tensor sketched = at::matmul(exact - exact.mean(1, true), drawn);  // [kv_heads, tokens, sketch]
  at::Tensor scores = at::empty({heads, keys.size(1)}, at::kDouble);
  for (std::int64_t h = 0; h < heads; ++h) {
    const at::Tensor rows = sketched[h];
    const at::Tensor gram = at::matmul(rows.t(), rows) + 1e-2 * at::eye(sketch, at::kDouble);
    scores[h].copy_((at::matmul(rows, inverse_of(gram)) * rows).sum(1).clamp_min(0));
  }
  return z_scores(scores).to(at::kFloat);
}

namespace {

/// The part of Compactor that looks at keys alone (Chari and Van Durme 2025), with Cholesky factors as in kvpress.
class Leverage final : public Scorer {
 public:
  Leverage(int sketch, int seed) : sketch_(sketch), seed_(seed) {}
  ScorerNeeds needs() const override { return {.keys = true, .positions = true}; }
  at::Tensor score(const LayerView& view) const override {
    return leverage_scores(before_rope(view.keys, view.positions, view.frequencies), sketch_, seed_, view.layer);
  }

 private:
  int sketch_, seed_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_leverage(const Parameters& parameters) {
  KV_ASSIGN(const auto sketch, parameters.integer("sketch", 1, 1024));
  KV_ASSIGN(const auto seed, parameters.integer("seed", 0, 1'000'000'000));
  return std::make_unique<Leverage>(sketch, seed);
}

}  // namespace kvantage::inline leverage_scorers
