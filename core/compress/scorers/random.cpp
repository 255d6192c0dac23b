#include "core/base/random.h"

#include <ATen/ops/empty.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Uniform scores, different for each layer and head; the same seed keeps the same positions in every context.
class RandomScorer final : public Scorer {
 public:
  explicit RandomScorer(int seed) : seed_(static_cast<std::uint64_t>(seed)) {}
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override {
    Random random(derive_seed(seed_, static_cast<std::uint64_t>(view.layer)));
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    auto* score = scores.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < scores.numel(); ++i) score[i] = static_cast<float>(random.uniform());
    return scores;
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_random(const Parameters& parameters) {
  KV_ASSIGN(const auto seed, parameters.integer("seed", 0, 1'000'000'000));
  return std::make_unique<RandomScorer>(seed);
}

}  // namespace kvantage::inline scorers
