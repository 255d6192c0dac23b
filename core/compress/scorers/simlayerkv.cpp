#include <ATen/ATen.h>

#include <algorithm>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Lazy layers (Zhang et al. 2024, as in kvpress): where the last `last` queries pay more than `threshold` of their
/// attention, mean over all heads, to the first `initial` and the `recent` tokens before them, a layer keeps only the
/// initial tokens and the `recent` - `last` newest ones. Other layers keep everything. s = 1: stays, 0: goes.
class SimLayerKv final : public Scorer {
 public:
  SimLayerKv(double threshold, int last, int recent, int initial)
      : threshold_(threshold), last_(last), recent_(recent), initial_(initial) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = last_}; }
  bool chooses() const override { return true; }

  at::Tensor score(const LayerView& view) const override {
    at::Tensor scores = at::ones({view.kv_heads, view.tokens});
    const std::int64_t tokens = view.tokens;
    if (tokens <= initial_ + recent_ + last_ || threshold_ >= 1) return scores;
    double paid = 0;
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor attention =
          window_attention(view.queries[h].slice(1, view.queries.size(2) - last_), view.keys[h]).mean(1).sum(0);
      paid += attention.slice(0, 0, initial_).sum().item<double>() +
              attention.slice(0, tokens - last_ - recent_, tokens - last_).sum().item<double>();
    }
    if (paid / static_cast<double>(view.kv_heads * view.queries.size(1)) > threshold_)
      scores.slice(1, initial_, tokens - (recent_ - last_)).fill_(0);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return static_cast<std::size_t>(view.queries.size(1) * last_ * view.tokens) * sizeof(float);
  }

 private:
  double threshold_;
  int last_, recent_, initial_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_simlayerkv(const Parameters& parameters) {
  KV_ASSIGN(const auto threshold, parameters.real("threshold", 0, 1));
  KV_ASSIGN(const auto last, parameters.integer("last", 1, 4096));
  KV_ASSIGN(const auto recent, parameters.integer("recent", 1, 65536));
  KV_ASSIGN(const auto initial, parameters.integer("initial", 0, 4096));
  if (recent <= last)
    return fail(ErrorCode::usage, "method 'simlayerkv': recent=" + std::to_string(recent) + " must be more than last=" +
                                      std::to_string(last) + "; a lazy layer keeps recent - last of the newest tokens");
  return std::make_unique<SimLayerKv>(threshold, last, recent, initial);
}

}  // namespace kvantage::inline scorers
