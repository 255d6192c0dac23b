#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/compress/leverage/leverage.h"

namespace kvantage::inline leverage_scorers {
namespace {

/// Squared norms as approximate leverage (Sengupta et al. 2025, as in kvpress): k2[t] = ||k_t||^2 over the sum in t's
/// window of `window` tokens (0: the whole context), v2 alike; s = k2, v2, their mean or product over its sum. The
/// first `sinks` tokens get 1.
class Cur final : public Scorer {
 public:
  Cur(int sinks, std::string leverage, int window) : sinks_(sinks), leverage_(std::move(leverage)), window_(window) {}
  ScorerNeeds needs() const override { return {.keys = true, .values = true}; }
  at::Tensor score(const LayerView& view) const override {
    const at::Tensor keys = share(view.keys), values = share(view.values);
    at::Tensor scores = leverage_ == "key"      ? keys
                        : leverage_ == "value"  ? values
                        : leverage_ == "kv_avg" ? (keys + values) / 2
                                                : keys * values;
    scores = scores / scores.sum(-1, true);
    scores.slice(1, 0, std::min(sinks_, view.tokens)).fill_(1);
    return scores;
  }

 private:
  /// Squared norms of [kv_heads, tokens, head_dim] over their window's sum.
  at::Tensor share(const at::Tensor& rows) const {
    const at::Tensor squares = rows.square().sum(-1);
    if (window_ == 0) return squares;
    const std::int64_t heads = squares.size(0), tokens = squares.size(1),
                       missing = (window_ - tokens % window_) % window_;
    const at::Tensor windows = at::cat({squares, at::zeros({heads, missing})}, 1).view({heads, -1, window_});
    return (windows / windows.sum(-1, true)).view({heads, -1}).slice(1, 0, tokens);
  }

  int sinks_;
  std::string leverage_;
  int window_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_cur(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(const auto window, parameters.integer("window", 0, 65536));
  const auto leverage = parameters.word("leverage", {"key", "value", "kv_avg", "kv_product"});
  if (!leverage) return tl::unexpected(leverage.error());
  return std::make_unique<Cur>(sinks, *leverage, window);
}

}  // namespace kvantage::inline leverage_scorers
