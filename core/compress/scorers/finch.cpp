#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Attention of the last W queries, each times the number of tokens before it, mean over the W rows and the group
/// (Corallo and Papotti 2024, counted as in kvpress FinchPress). The paper's window is the question; a stored context
/// serves many questions, so here it is the end of the context. The window gets more than max(s), the newest most.
class Finch final : public Scorer {
 public:
  Finch(int window, bool normalize) : window_(window), normalize_(normalize) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = window_}; }

  at::Tensor score(const LayerView& view) const override {
    const std::int64_t tokens = view.tokens,
                       window = tokens > window_ ? window_ : std::max<std::int64_t>(tokens / 2, 1),
                       scored = tokens - window;
    if (scored == 0) return at::ones({view.kv_heads, tokens});
    const at::Tensor counts = at::arange(scored, tokens, at::kFloat).unsqueeze(1);  // [window, 1]
    at::Tensor scores = at::empty({view.kv_heads, tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      at::Tensor attention = window_attention(view.queries[h].slice(1, view.queries.size(2) - window), view.keys[h]);
      attention = attention.slice(2, 0, scored);
      if (normalize_) attention = attention * counts;
      scores[h].slice(0, 0, scored).copy_(attention.mean(1).mean(0));
    }
    pin_newest(scores, scored);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return static_cast<std::size_t>(view.queries.size(1) * std::min<std::int64_t>(window_, view.tokens) * view.tokens) *
           sizeof(float);
  }

 private:
  int window_;
  bool normalize_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_finch(const Parameters& parameters) {
  KV_ASSIGN(const auto window, parameters.integer("window", 1, 4096));
  const auto normalize = parameters.word("normalize", {"yes", "no"});
  if (!normalize) return tl::unexpected(normalize.error());
  return std::make_unique<Finch>(window, *normalize == "yes");
}

}  // namespace kvantage::inline scorers
