#include <ATen/ops/ones.h>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Keeps every token; a plan's "uncompressed" uses the same code as every method.
class None final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override { return at::ones({view.kv_heads, view.tokens}); }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_none(const Parameters&) { return std::make_unique<None>(); }

}  // namespace kvantage::inline scorers
