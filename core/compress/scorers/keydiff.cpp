#include <ATen/TensorOperators.h>
#include <ATen/ops/cosine_similarity.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage {
namespace {

/// a[h] = mean over t of k[h,t]/||k[h,t]||;  s[h,t] = -cos(k[h,t], a[h]): keys unlike the average key stay. The whole
/// context at once, as kvpress does it; the paper goes block by block.
class KeyDiff final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true}; }
  at::Tensor score(const LayerView& view) const override {
    const at::Tensor unit = view.keys / view.keys.norm(2, -1, true).clamp_min(1e-12);
    const at::Tensor anchor = unit.mean(1, true);  // a: [kv_heads, 1, head_dim]
    return -at::cosine_similarity(view.keys, anchor, /*dim=*/-1);
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_keydiff(const Parameters&) {
  return std::make_unique<KeyDiff>();
}

}  // namespace kvantage
