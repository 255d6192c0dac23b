#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Importance minus redundancy (Cai et al. 2025): s = lambda I - (1 - lambda) R, the `window` newest tokens stay.
///   I[t]: logits of the window's queries, max over the group, softmax over the keys before the window, mean over the
///         rows, max-pooled over `kernel` neighbors
///   R[t]: softmax over t of the mean cosine of k[t] to the other keys, the window's included; of the keys more
///         than 0.5 similar to one key the latest is not counted against it, so that of copies the newest stays
class RKv final : public Scorer {
 public:
  RKv(int window, int kernel, double lambda) : window_(window), kernel_(kernel), lambda_(lambda) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = window_}; }

  at::Tensor score(const LayerView& view) const override {
    const std::int64_t window = std::min<std::int64_t>(window_, std::max(1, view.tokens / 2));
    const std::int64_t scored = view.tokens - window;
    at::Tensor scores = at::full({view.kv_heads, view.tokens}, 2.0F);  // above lambda and every score
    if (scored == 0) return scores;
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor queries = view.queries[h].slice(1, std::max<std::int64_t>(0, view.queries.size(2) - window));
      const at::Tensor keys = view.keys[h].slice(0, 0, scored);
      const at::Tensor logits =
          std::get<0>(at::matmul(queries, keys.t()).div(std::sqrt(static_cast<double>(keys.size(1)))).max(0));
      const at::Tensor mean = at::softmax(logits, -1).mean(0).unsqueeze(0);
      const at::Tensor importance = at::max_pool1d(mean, kernel_, /*stride=*/1, /*padding=*/kernel_ / 2).squeeze(0);
      scores[h]
          .slice(0, 0, scored)
          .copy_(importance * lambda_ - redundancy(view.keys[h]).slice(0, 0, scored) * (1 - lambda_));
    }
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    // Cosines, which of them are high, and the position of the last one.
    constexpr std::size_t each = sizeof(float) + sizeof(bool) + 2 * sizeof(std::int32_t);
    return static_cast<std::size_t>(std::min<std::int64_t>(block_rows, view.tokens) * view.tokens) * each;
  }

 private:
  static constexpr double alike = 0.5;
  static constexpr std::int64_t block_rows = 256;

  static at::Tensor redundancy(const at::Tensor& keys) {
    const std::int64_t tokens = keys.size(0);
    const at::Tensor unit = keys / keys.norm(2, -1, true).clamp_min(1e-12);
    at::Tensor sums = at::zeros({tokens});
    for (std::int64_t begin = 0; begin < tokens; begin += block_rows) {  // never the whole matrix in memory
      const at::Tensor rows = unit.slice(0, begin, begin + block_rows);
      at::Tensor cosines = at::matmul(rows, unit.t());
      cosines.diagonal(begin).fill_(0);
      // The last column of each row above the threshold; rows without one are unchanged.
      const at::Tensor above = (cosines > alike).to(at::kInt) * at::arange(1, tokens + 1, at::kInt);
      const at::Tensor last = std::get<0>(above.max(1)).to(at::kLong);
      const at::Tensor with_one = at::nonzero(last).squeeze(1);
      cosines.index_put_({with_one, last.index_select(0, with_one) - 1}, at::zeros({1}));
      sums += cosines.sum(0);
    }
    return at::softmax(sums / static_cast<double>(tokens), -1);
  }

  int window_, kernel_;
  double lambda_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_r_kv(const Parameters& parameters) {
  KV_ASSIGN(const auto window, parameters.integer("window", 1, 4096));
  KV_ASSIGN(const auto kernel, parameters.integer("kernel", 1, 1023));
  if (kernel % 2 == 0) return fail(ErrorCode::usage, "method 'r_kv': kernel must be odd, to be centered on its token");
  KV_ASSIGN(const auto lambda, parameters.real("lambda", 0, 1));
  return std::make_unique<RKv>(window, kernel, lambda);
}

}  // namespace kvantage::inline scorers
