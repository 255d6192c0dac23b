#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/compress/scorers/scorers.h"

namespace kvantage {
namespace {

/// Attention that the last W queries pay to each earlier token, smoothed over neighbours (Li et al. 2024):
///   A = softmax(Q_w K^T / sqrt(d) + causal), window columns included;  m = mean over the W rows of columns [0, S-W)
///   s = mean over the group of average-pool(m, kernel);  the window itself gets max(s) + 1
/// A context of at most W tokens is scored by the queries of its second half.
class SnapKv final : public Scorer {
 public:
  SnapKv(int window, int kernel) : window_(window), kernel_(kernel) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = window_}; }

  at::Tensor score(const LayerView& view) const override {
    const std::int64_t tokens = view.tokens;                                                         // S
    const std::int64_t window = tokens > window_ ? window_ : std::max<std::int64_t>(tokens / 2, 1);  // W
    const std::int64_t scored = tokens - window;
    at::Tensor scores = at::ones({view.kv_heads, tokens});
    if (scored == 0) return scores;
    const at::Tensor future = at::ones({window, window}, at::kBool).triu(1);
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor queries = view.queries[h].slice(1, view.queries.size(2) - window);  // [group, W, head_dim]
      at::Tensor logits = at::matmul(queries.flatten(0, 1), view.keys[h].t());
      logits = logits.div_(std::sqrt(static_cast<double>(view.keys.size(2)))).view({-1, window, tokens});
      logits.slice(2, scored).masked_fill_(future, -INFINITY);
      const at::Tensor attention = at::softmax(logits, -1);           // [group, W, S]
      const at::Tensor paid = attention.slice(2, 0, scored).mean(1);  // [group, S-W]
      scores[h].slice(0, 0, scored).copy_(at::avg_pool1d(paid, kernel_, /*stride=*/1, /*padding=*/kernel_ / 2).mean(0));
    }
    scores.slice(1, scored).fill_(scores.slice(1, 0, scored).max().item<float>() + 1);
    return scores;
  }

 private:
  int window_;
  int kernel_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_snapkv(const Parameters& parameters) {
  const auto window = parameters.integer("window", 1, 4096);
  if (!window) return tl::unexpected(window.error());
  const auto kernel = parameters.integer("kernel", 1, 1023);
  if (!kernel) return tl::unexpected(kernel.error());
  if (*kernel % 2 == 0) return fail(ErrorCode::usage, "method 'snapkv': kernel must be odd, to lie around its token");
  return std::make_unique<SnapKv>(*window, *kernel);
}

}  // namespace kvantage
