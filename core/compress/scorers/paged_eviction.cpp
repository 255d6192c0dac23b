#include <ATen/ATen.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage {
namespace {

/// s[t] = ||v[t]|| / ||k[t]|| (Chitty-Venkata et al. 2025, Algorithm 1: what the prompt is cut by; whole pages go while
/// decoding, see core/compress/decode).
class PagedEvictionScore final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true, .values = true}; }
  at::Tensor score(const LayerView& view) const override {
    return view.values.norm(2, -1) / view.keys.norm(2, -1).clamp_min(1e-12);
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_paged_eviction(const Parameters&) {
  return std::make_unique<PagedEvictionScore>();
}

}  // namespace kvantage
