#include <ATen/core/Tensor.h>

#include "core/compress/scorers/row_math.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// s[h,t] = -||k[h,t]||: keys of low norm draw more attention (Devoto et al. 2024). keep_high flips the sign, following
/// the wording of the EvicPress paper.
class Knorm final : public Scorer {
 public:
  explicit Knorm(bool keep_high) : keep_high_(keep_high) {}
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor norms =
        score_heads(view, [&](std::size_t h, std::span<float> scores) { key_norms(view.heads[h], scores); });
    return keep_high_ ? norms : norms.neg_();
  }

 private:
  bool keep_high_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_knorm(const Parameters& parameters) {
  const auto keep = parameters.word("keep", {"low", "high"});  // GCC 12 reports a moved text as uninitialized
  if (!keep) return tl::unexpected(keep.error());
  return std::make_unique<Knorm>(*keep == "high");
}

}  // namespace kvantage::inline scorers
