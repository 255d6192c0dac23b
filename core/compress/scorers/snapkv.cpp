#include <ATen/ATen.h>

#include <algorithm>

#include "core/compress/scorers/row_math.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Attention of the last W queries on each earlier token, smoothed over neighbors (Li et al. 2024):
///   A = softmax(Q_w K^T / sqrt(d) + causal), window columns included;  m = mean over the W rows of columns [0, S-W)
///   s = mean over the group of average-pool(m, kernel);  the window itself gets max(s) + 1, the newest token most
/// A context of at most W tokens is scored by the queries of its second half.
class SnapKv final : public Scorer {
 public:
  SnapKv(int window, int kernel) : window_(window), kernel_(kernel) {}
  ScorerNeeds needs() const override { return {.window_queries = window_}; }

  at::Tensor score(const LayerView& view) const override {
    const int tokens = view.tokens;                                           // S
    const int window = tokens > window_ ? window_ : std::max(tokens / 2, 1);  // W
    const int scored = tokens - window;
    if (scored == 0) return at::ones({view.kv_heads, tokens});
    const auto group = static_cast<int>(view.queries.size(1));
    const at::Tensor queries =
        view.queries.slice(2, view.queries.size(2) - window).contiguous();  // [kv_heads, group, W, d]
    const auto numbers = static_cast<std::size_t>(queries.stride(0));
    at::Tensor scores = score_heads(view, [&](std::size_t h, std::span<float> smoothed) {
      std::vector<float> paid(smoothed.size());  // sums over group and W
      attention_paid(view.heads[h], {queries.const_data_ptr<float>() + h * numbers, numbers}, group, paid);
      smooth(std::span(paid).first(static_cast<std::size_t>(scored)), static_cast<float>(kernel_ * group * window),
             smoothed);
    });
    pin_newest(scores, scored);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    const auto queries =
        static_cast<std::size_t>(view.queries.size(1)) * static_cast<std::size_t>(std::min(window_, view.tokens));
    return attention_paid_bytes(static_cast<std::size_t>(view.tokens), queries);
  }

 private:
  /// smoothed[t] = sum of the `kernel_` numbers around t, zero-padded, over `divisor`.
  void smooth(std::span<const float> numbers, float divisor, std::span<float> smoothed) const {
    const auto reach = static_cast<std::ptrdiff_t>(kernel_ / 2), count = static_cast<std::ptrdiff_t>(numbers.size());
    std::ranges::fill(smoothed, 0.0F);
    for (std::ptrdiff_t shift = -reach; shift <= reach; ++shift) {
      const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, -shift), last = std::min(count, count - shift);
      for (std::ptrdiff_t t = first; t < last; ++t)
        smoothed[static_cast<std::size_t>(t)] += numbers[static_cast<std::size_t>(t + shift)];
    }
    for (float& number : smoothed) number /= divisor;
  }

  int window_;
  int kernel_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_snapkv(const Parameters& parameters) {
  KV_ASSIGN(const auto window, parameters.integer("window", 1, 4096));
  KV_ASSIGN(const auto kernel, parameters.integer("kernel", 1, 1023));
  if (kernel % 2 == 0)
    return fail(ErrorCode::usage, "method 'snapkv': kernel must be odd, to be centered on its token");
  return std::make_unique<SnapKv>(window, kernel);
}

}  // namespace kvantage::inline scorers
